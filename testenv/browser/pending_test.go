//go:build unix

package browser

import (
	"fmt"
	"testing"
)

// TestPending looks at rows that wait for their key's shard: the page says how many of how
// many, as the API does, and forgets them once they are absorbed.
func TestPending(t *testing.T) {
	browser, w := newBrowser(t), newWorldOf(t, answered, "input.coalesce.rows=25", "input.coalesce.time=10m")
	const key, at = "shop/1", "/v1/models/shop%2F1"
	w.send(t, key)
	w.applied(t, 1)
	b := newTab(t, browser, 1280, 900)
	b.open(w.Base + "/key/shop%2F1")
	waits := func(rows int, what string) {
		t.Helper()
		b.wait(fmt.Sprintf(`(async () => {
			const {waiting} = await (await fetch('%s')).json(), {coalesce} = await (await fetch('%[1]s/about')).json()
			return coalesce.rows === 25 && coalesce.seconds === 600 && waiting?.rows === %d && +document.querySelector('[data-testid=waiting]')?.dataset.value === waiting.rows &&
				document.querySelector('.pending progress')?.value === waiting.rows && document.querySelector('.pending').innerText.includes('%[2]d of 25 rows wait')
		})()`, at, rows), what)
	}
	waits(10, "ten of 25 rows that wait")
	b.wait(`document.body.innerText.includes('No shard yet')`, "that nothing was learnt yet")
	if value[bool](b, `document.body.innerText.includes('1970')`) {
		t.Error("a time before the first shard")
	}
	b.shot("none yet")
	b.accessible()
	w.send(t, key)
	waits(20, "twenty of them, without a reload")
	w.send(t, key)
	b.wait(`document.querySelector('[data-testid=t]')?.dataset.value === '1' && !document.querySelector('.pending')`, "one shard of them all, and no row that waits")
	b.wait(`document.querySelector('.variables-list [role=row]')`, "its variables")
	w.send(t, key)
	waits(10, "the first rows of the next shard")
	for _, width := range []int64{380, 1280} {
		b := newTab(t, browser, width, 900)
		b.open(w.Base + "/key/shop%2F1")
		b.wait(`document.querySelector('.pending') && document.querySelector('.bands canvas')`, "rows that wait")
		b.shot(fmt.Sprint(width))
	}
}
