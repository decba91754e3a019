import { signal } from '@preact/signals'

// What a reader who is new to a view needs to know of it, until it was read.

const name = 'credence-read'

/** introductions say in plain words what a view shows. */
export const introductions = {
  keys: 'Each row is a key, such as a shop or a machine, with a model that learns from its data as they arrive. The row shows the estimate of one number: its likely value, how sure the model is (±), and what needs a look (flags).',
  key: 'What the model of this key has learnt. Choose a variable at the left: the picture shows how its estimate changed as data came in, and how sure it is now. A narrow band is a sure estimate.',
  forest: 'One variable compared across keys. The ring is the likely value, the thick line holds it with probability one half, the thin one with 95 %. Lines that do not overlap are keys that differ.',
  calibration: 'How far predictions can be trusted. Each value was predicted before it was used; a model that is honest about its doubt has 95 % of them inside its 95 % intervals.',
  variables: 'All numbers of the model beside each other, those of one unit on one axis. An interval that does not reach 0 is an effect whose direction is sure.',
  diagnostics: 'The same numbers as a table, with how far the computation of each can be trusted. “exact” needs no such check.',
  drift: 'Whether predictions have stayed honest: each column is a run of shards, oldest at the left, and shows where the values fell in their predicted distributions. An even column is right; orange has too many values, blue too few.',
  observed: 'Each row of data was predicted before it was seen. The bands are the predictions, the dots what then came: about half of the dots should lie in the dark band, 19 of 20 in the lightest.',
  observed_binary: 'Each row of data was predicted before it was seen. The line is the probability that was predicted, the dots what then came: where the line is higher there should be more dots at 1.',
  contrast: 'Compares parts of the model: pick variables and how much each counts, and see how large the difference is, and how sure that it is above 0.',
  effects: 'What the model expects as one input changes while the others stay where they are set. Move a slider to ask “what if”: all curves follow.',
  predict: 'What the model expects of rows that you type. The narrow interval is for the average of many such rows, the wide one for a single new row.',
  how: 'Which rule and settings made these numbers, from which record, and the commands that show the same in a terminal.',
  json: 'The posterior as programs read it, with every digit.',
  compare: 'Which key is largest, and how sure that is: one number of several models side by side. A single key can be compared with what it was after earlier shards.',
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
