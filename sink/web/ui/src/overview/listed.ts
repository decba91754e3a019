import { api } from '../api/client.ts'
import { sensible } from '../key/rows.ts'
import { addressed } from './details.ts'

/** Keys of a list that are kept as a file, from its top. */
export const mostListed = 1_000

const numbers = ['mean', 'sd', 'q2.5', 'q25', 'median', 'q75', 'q97.5'] as const

/**
 * listed is a list of keys as a table, with the numbers of the variable shown: asked for by name, so many
 * at once as an address has room for; a text where the API does not answer.
 */
export async function listed(keys: readonly string[], globs: string) {
  const rows = []
  for (let rest = keys.slice(0, mostListed); rest.length > 0; ) {
    const some = addressed(rest)
    rest = rest.slice(some.length)
    const answer = await api.models({ key: some, variables: globs })
    if (!answer.ok) return answer.failure.message
    for (const m of answer.value.models) {
      const shown = sensible((m.posterior ?? []).map((r) => r.variable))
      const row = m.posterior?.find((r) => r.variable === shown)
      rows.push([
        m.key, m.kind ?? null, row?.variable ?? null, ...numbers.map((n) => row?.[n] ?? null), m.t ?? null, m.n ?? null, m.time ?? null,
        m.coverage95 ?? null, m.scored_rows ?? null, m.flags?.join(' ') ?? null,
      ])
    }
  }
  return { head: ['key', 'kind', 'variable', ...numbers, 't', 'n', 'time', 'coverage95', 'scored_rows', 'flags'], rows }
}
