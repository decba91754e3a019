import type { DeadLetters, Operations, PartitionState } from '../../src/api/types.ts'
import { start } from './data.ts'

export function operations(keys: number, rate: number, faults: { ready: boolean; halted: boolean }): Operations {
  const partitions: PartitionState[] = [0, 1, 2, 3].map((partition) => ({
    partition, owned: partition < 3, phase: partition < 3 ? 'running' : 'elsewhere', owner: partition < 3 ? '5f3a9c21' : 'b81e0d77', generation: 3 + partition,
    keys: Math.floor(keys / 4), watermark: 120_000 + partition * 7, end: 120_012 + partition * 7, lag: 12, checkpoint_age: partition < 3 ? 0.6 : null,
  }))
  if (faults.halted) {
    Object.assign(partitions[2] as PartitionState, { phase: 'halted', reason: 'gap', why: 'offsets 120014 to 120020 are gone from the log; set on_gap: skip to go on without them', lag: 4021 })
    Object.assign(partitions[1] as PartitionState, { phase: 'waiting', why: 'the store does not answer: connection refused' })
  }
  const lags = partitions.map((p) => p.lag ?? 0)
  return {
    ready: faults.ready && !faults.halted,
    reasons: faults.halted ? ['partition 2 is halted: gap'] : faults.ready ? [] : ['partition 2: waiting for the store'],
    version: '0.0.0-mock', started: new Date(start).toISOString(), input: 'shards', output: 'posteriors', group: 'credence',
    totals: {
      keys, rows_per_second: rate * 64, shards_per_second: rate, lag: lags.reduce((a, b) => a + b, 0), dead_letters: keys === 0 ? 0 : 12,
      cache_bytes: 34 << 20, inflight_bytes: 1 << 19,
    },
    partitions,
    commands: { check: 'bin/consumer check --config credence.yaml', demo: 'bin/consumer demo', replay: 'bin/producer replay --input FILE.csv --key-column COLUMN --rows 100 --topic shards --brokers 127.0.0.1:9092' },
    events: [
      ...(faults.halted ? [{ time: new Date(start + 60_000).toISOString(), kind: 'halted' as const, partition: 2, message: 'gap: offset 120014 expected, 120021 found' }] : []),
      { time: new Date(start + 5_000).toISOString(), kind: 'fenced', partition: 3, message: 'b81e0d77 claimed it with generation 6' },
      ...[0, 1, 2, 3].map((p) => ({ time: new Date(start + p * 40).toISOString(), kind: 'claimed' as const, partition: p, message: `from offset ${p * 7}, generation ${3 + p}` })),
    ],
  }
}

export function deadLetters(n: number): DeadLetters {
  const stages = ['decode', 'schema', 'check', 'numeric']
  const reasons = [
    'not a complete Arrow IPC stream: unexpected end after 1024 bytes', 'column "temperature" is missing', 'no model matches this key: add an entry to models',
    'sigma2 rate is infinite: <b>check the units of "y"</b>',
  ]
  return {
    topic: 'shards.dead',
    letters: Array.from({ length: n }, (_, i) => ({
      partition: i % 4, offset: 1000 - i, time: new Date(start - i * 3_600_000).toISOString(), key: i % 5 === 4 ? null : `flights/${i}`,
      stage: stages[i % 4] ?? '', reason: reasons[i % 4] ?? '', source: { topic: 'shards', partition: i % 4, offset: 5000 - i }, bytes: 900 + i * 1000,
    })),
    commands: { list: 'consumer dead-letters list --config credence.yaml', replay: 'consumer dead-letters replay --config credence.yaml --dry-run' },
  }
}
