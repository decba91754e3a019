import type { Flag } from '../api/types.ts'
import type { Moment } from './series.ts'

/** Rising is a shard after which a key had flags that it had not before. */
export interface Rising {
  moment: Moment
  flags: Flag[]
}

/**
 * risings are the shards at which flags rose, oldest first. Of the first moment that is
 * kept it is not known what was before, unless it is the key's first shard.
 */
export function risings(moments: readonly Moment[]): Rising[] {
  const out: Rising[] = []
  let before: readonly Flag[] = moments[0] && moments[0].t > 1 ? moments[0].flags : []
  for (const moment of moments) {
    const flags = moment.flags.filter((f) => !before.includes(f))
    if (flags.length > 0) out.push({ moment, flags })
    before = moment.flags
  }
  return out
}
