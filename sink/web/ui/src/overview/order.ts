/** byteOrder compares texts by their bytes in UTF-8, the order of the API's lists; JavaScript compares by UTF-16 units. */
export function byteOrder(a: string, b: string): number {
  const n = Math.min(a.length, b.length)
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/** Surrogates stand for characters above U+FFFF, so they come after all other units. */
const rank = (unit: number) => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit)

/** merge puts sorted new keys into a sorted list; keys that are there stay once. */
export function merge(list: readonly string[], more: readonly string[]): string[] {
  const out: string[] = new Array<string>(list.length + more.length)
  let i = 0
  let j = 0
  let n = 0
  while (i < list.length || j < more.length) {
    const a = list[i]
    const b = more[j]
    if (b === undefined || (a !== undefined && a !== b && byteOrder(a, b) < 0)) {
      out[n++] = a as string
      i++
    } else {
      if (a === b) i++
      out[n++] = b
      j++
    }
  }
  out.length = n
  return out
}
