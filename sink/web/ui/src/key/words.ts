import type { History } from '../api/types.ts'
import { bytes, count } from '../format.ts'

/** droppedWords says why a key's past is missing, and what would keep it. */
export function droppedWords(dropped: NonNullable<History['dropped']>): string {
  return `Pasts of ${count(dropped.keys)} keys do not fit in http.history: set it to ${bytes(dropped.history_bytes)} or more to keep the last ten shards of each.`
}

/** flagWords are the short names of flags. */
export const flagWords = {
  weak_r_hat: 'weak R-hat',
  low_ess: 'low ESS',
  poor_calibration: 'poor calibration',
  prior_dominated: 'prior dominated',
  model: 'model warning',
} as const
