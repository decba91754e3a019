import { signal } from '@preact/signals'

// What a reader who is new to a view needs to know of it, until it was read.

const name = 'credence-read'

/** introductions say in plain words what a view shows. */
export const introductions = {
  keys: 'Each row is a key, such as a shop or a machine, with a model that learns from its data as they arrive. The row shows the estimate of one number: its likely value, how sure the model is (±), and what needs a look (flags).',
  key: 'What the model of this key has learnt. Choose a variable at the left: the picture shows how its estimate changed as data came in, and how sure it is now. A narrow band is a sure estimate.',
  forest: 'One variable compared across keys. The ring is the likely value, the thick line holds it with probability one half, the thin one with 95 %. Lines that do not overlap are keys that differ.',
  calibration: 'How far predictions can be trusted. Each value was predicted before it was used; a model that is honest about its doubt has 95 % of them inside its 95 % intervals.',
  operations: 'Whether data flow. Each partition is a share of the input topic; lag is what is waiting, dead letters are records that could not be used.',
} as const

export type IntroName = keyof typeof introductions

function stored(): readonly string[] {
  try {
    return (localStorage.getItem(name) ?? '').split(',')
  } catch {
    return [] // storage may be forbidden
  }
}

const read = signal(stored())

/** Intro says what a view shows until the reader puts it away, which this browser remembers. */
export function Intro({ view }: { view: IntroName }) {
  if (read.value.includes(view)) return null
  const putAway = () => {
    read.value = [...read.value.filter((v) => v !== ''), view]
    try {
      localStorage.setItem(name, read.value.join(','))
    } catch {
      // It comes again then.
    }
  }
  return (
    <aside class="intro no-print" aria-label="What this shows">
      <p>{introductions[view]}</p>
      <button type="button" class="quiet" onClick={putAway}>Got it</button>
    </aside>
  )
}
