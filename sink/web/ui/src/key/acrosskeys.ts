import { api } from '../api/client.ts'
import type { Result } from '../api/result.ts'
import type { Row } from '../api/types.ts'
import { variableGlob } from './series.ts'

/** AcrossKeys is one variable in many keys. */
export interface AcrossKeys {
  lines: { key: string; row: Row }[]
  /** Keys looked at; those without the variable have no line. */
  keys: number
  /** Whether keys were left out because there are too many. */
  more: boolean
}

const page = 500
export const mostKeys = 2_000

/** acrossKeys reads a variable of all keys with a prefix, at most mostKeys of them. */
export async function acrossKeys(variable: string, prefix: string, signal: AbortSignal): Promise<Result<AcrossKeys>> {
  const out: AcrossKeys = { lines: [], keys: 0, more: false }
  for (let after = ''; ; ) {
    const answer = await api.models({ prefix, after, limit: page, variables: variableGlob(variable) }, signal)
    if (!answer.ok) return answer
    for (const m of answer.value.models) {
      // The glob of a name with a comma may bring others.
      const row = m.posterior?.find((r) => r.variable === variable)
      if (row) out.lines.push({ key: m.key, row })
    }
    out.keys += answer.value.models.length
    if (answer.value.next === null) return { ok: true, value: out }
    if (out.keys >= mostKeys) return { ok: true, value: { ...out, more: true } }
    after = answer.value.next
  }
}

/** variablesOf are the variables of the first keys with a prefix, to choose from. */
export async function variablesOf(prefix: string, signal: AbortSignal): Promise<Result<string[]>> {
  const answer = await api.models({ prefix, limit: 20 }, signal)
  if (!answer.ok) return answer
  const names = new Set<string>()
  for (const m of answer.value.models) for (const r of m.posterior ?? []) if (names.size < 500) names.add(r.variable)
  return { ok: true, value: [...names] }
}
