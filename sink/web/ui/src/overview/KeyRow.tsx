import { Ago, Badge, Foreign, terms } from '../components/index.ts'
import { count, exact, meanSd, missing, percent, span } from '../format.ts'
import { flagWords } from '../key/words.ts'
import { keyPath } from '../router.ts'
import type { Detail } from './details.ts'
import { Sparkline } from './Sparkline.tsx'

export type Size = 'narrow' | 'middle' | 'wide'

/** KeyRow is the cells of one key; it reads the detail's rev and is rendered anew when that grows. */
export function KeyRow({ detail, size }: { detail: Detail; size: Size }) {
  void detail.rev.value
  const { entry, row, key, spark } = detail
  const waiting = !entry && !detail.gone
  return (
    <>
      <div role="gridcell" class="cell key">
        <a href={keyPath(key)} tabIndex={-1}><Foreign text={key} length={{ narrow: 34, middle: 48, wide: 120 }[size]} /></a>
      </div>
      <div role="gridcell" class="cell kind muted">{entry?.damaged ? 'damaged' : (entry?.kind ?? '')}</div>
      <div role="gridcell" class="cell variable muted">{row && <Foreign text={row.variable} length={26} />}</div>
      <div role="gridcell" class="cell bands">
        {spark.length > 1 ? <Sparkline points={spark} width={{ narrow: 104, middle: 140, wide: 260 }[size]} height={28} />
          : entry?.t === 1 ? <span class="muted small">one shard so far</span>
          : entry?.t === 0 && <span class="muted small">rows wait for a shard</span>}
      </div>
      <div role="gridcell" class="cell mean number" title={row ? `mean ${exact(row.mean)}, sd ${exact(row.sd)}` : undefined} data-value={row?.mean ?? ''}>
        {row ? meanSd(row) : waiting ? '' : missing}
      </div>
      <div role="gridcell" class="cell rows number">{waiting ? '' : count(entry?.n)}</div>
      <div role="gridcell" class="cell age number">{entry?.time && entry.t !== 0 && <Ago time={entry.time} short />}</div>
      <div role="gridcell" class="cell coverage number"><Coverage detail={detail} /></div>
      <div role="gridcell" class="cell flags">
        {detail.gone && <Badge tone="warn" title="The key was deleted, or has no checkpoint yet">gone</Badge>}
        {entry?.damaged && <Badge tone="bad" title="The stored state of this key can’t be read: consumer state repair">damaged</Badge>}
        {entry?.flags?.map((f, i) => (i === 0 || size === 'wide') && <Badge key={f} tone="warn" title={terms[f].text}>{flagWords[f]}</Badge>)}
        {size !== 'wide' && (entry?.flags?.length ?? 0) > 1 && (
          <Badge tone="warn" title={entry?.flags?.slice(1).map((f) => flagWords[f]).join(', ') ?? ''}>+{count((entry?.flags?.length ?? 0) - 1)}</Badge>
        )}
      </div>
    </>
  )
}

/** Coverage is judged by the server, which knows the band: the flag says outside, the share on which side. */
function Coverage({ detail: { entry } }: { detail: Detail }) {
  const share = entry?.coverage95
  if (share === undefined || share === null) return <span class="muted">{entry ? missing : ''}</span>
  const outside = entry?.flags?.includes('poor_calibration') ?? false
  const judged = !outside ? 'ok' : share < 0.95 ? 'low' : 'high'
  const title = { ok: 'Within the Monte Carlo band of 95 %', low: 'Fewer rows inside their 95 % intervals than chance explains', high: 'More rows inside their 95 % intervals than chance explains' }[judged]
  return (
    <span class={'judged ' + judged} title={`${title}; ${count(entry?.scored_rows)} rows scored`}>
      {percent(share)} <b>{{ ok: '✓ ok', low: '▼ low', high: '▲ high' }[judged]}</b>
    </span>
  )
}

/** said is what a screen reader hears of a key: the row without its picture. */
export function said(detail: Detail, now: number): string {
  const { entry, row, key } = detail
  if (!entry) return key
  const age = entry.time ? span((now - Date.parse(entry.time)) / 1000) : missing
  const flags = entry.flags?.map((f) => flagWords[f]).join(', ') || 'no flags'
  return `${key}, ${entry.kind ?? ''}, ${row ? `${row.variable} ${meanSd(row)}` : ''}, ${count(entry.n)} rows, ${age} old, ${flags}`
}
