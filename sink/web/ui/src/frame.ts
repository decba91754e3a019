// Work that many messages ask for is done once per frame.

/**
 * perFrame returns a function that asks for work in the next animation frame;
 * asked many times before it, the work is done once. In a hidden tab it waits
 * until the tab is seen.
 */
export function perFrame(work: () => void): () => void {
  let asked = false
  return () => {
    if (asked) return
    asked = true
    requestAnimationFrame(() => {
      asked = false
      work()
    })
  }
}
