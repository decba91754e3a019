//go:build unix

package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/credence-stream/credence/testenv/probe"
)

const (
	loadKeys  = 10_000
	perSecond = 500 // updates of random keys
)

// BenchmarkFirstPaint measures, on loopback and with ten thousand keys, from
// the request for the page to its first contentful paint: each time in a tab
// of its own, with a cache that the first of them fills.
func BenchmarkFirstPaint(b *testing.B) {
	browser, w := newBrowser(b), newWorld(b)
	crowd := names(loadKeys)
	w.send(b, crowd...)
	w.applied(b, len(crowd))
	sum, worst := 0.0, 0.0
	for b.Loop() {
		p := newTab(b, browser, 1280, 900)
		p.open(w.Base + "/")
		const entry = `performance.getEntriesByName('first-contentful-paint')[0]`
		p.wait(entry, "its first paint")
		at := value[float64](p, entry+`.startTime`)
		sum, worst = sum+at, max(worst, at)
		p.end() // its connections as well
	}
	b.ReportMetric(sum/float64(b.N), "ms/paint")
	b.ReportMetric(worst, "worst-ms")
	b.ReportMetric(0, "ns/op") // starting a tab is not the page's time
}

// BenchmarkLoad leaves the page open for CREDENCE_PAGE_SECONDS while a
// consumer with ten thousand keys absorbs 500 shards per second.
func BenchmarkLoad(b *testing.B) {
	browser, w := newBrowser(b), newWorld(b)
	crowd := names(loadKeys)
	w.send(b, crowd...)
	w.applied(b, len(crowd))
	b.Run("overview", func(b *testing.B) {
		measureLoad(b, browser, w, crowd, "/", `document.querySelectorAll('.cell.bands canvas[aria-label^=Bands]').length > 10`)
	})
	b.Run("key", func(b *testing.B) {
		// One of fifty updates is of the key that is shown.
		keys := slices.Concat(crowd, slices.Repeat(crowd[:1], len(crowd)/49))
		measureLoad(b, browser, w, keys, "/key/"+url.PathEscape(crowd[0]), `document.querySelector('.bands canvas')`)
	})
}

// measureLoad opens a page, lets shards of the keys flow and reports how busy
// the main thread was, in time of the thread, what the heap holds after a
// collection at the start and the end, and how many nodes there are.
func measureLoad(b *testing.B, browser context.Context, w *world, keys []string, path, drawn string) {
	length := pageTime(b)
	for b.Loop() {
		p := newTab(b, browser, 1280, 900)
		// Other work on the machine does not count.
		call(p, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
		p.open(w.Base + path)
		p.wait(drawn, "what it shows at "+path)
		from := w.Metric(b, "records_consumed_total")
		stop := w.flow(b, keys, perSecond)
		// What is allocated once, such as caches of the rows in view, is there
		// after a fifth of the time.
		pause(b, length/5)
		heap, before, start := collected(p), metrics(p), time.Now()
		pause(b, length-length/5)
		after, took := metrics(p), time.Since(start).Seconds()
		stop()
		heapAfter, left := collected(p), metrics(p)
		p.end()
		b.ReportMetric(100*(after["TaskDuration"]-before["TaskDuration"])/took, "busy-%")
		b.ReportMetric(100*(after["ScriptDuration"]-before["ScriptDuration"])/took, "script-%")
		b.ReportMetric(heap/(1<<20), "heap-start-MiB")
		b.ReportMetric(heapAfter/(1<<20), "heap-end-MiB")
		b.ReportMetric(before["Nodes"], "nodes-start")
		b.ReportMetric(left["Nodes"], "nodes-end")
		b.ReportMetric((w.Metric(b, "records_consumed_total")-from)/length.Seconds(), "updates/s")
		b.ReportMetric(0, "ns/op") // the length was chosen
	}
}

// pageTime is CREDENCE_PAGE_SECONDS, 20 s where it is not set.
func pageTime(b *testing.B) time.Duration {
	b.Helper()
	text := os.Getenv("CREDENCE_PAGE_SECONDS")
	if text == "" {
		return 20 * time.Second
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 1 {
		b.Fatalf("CREDENCE_PAGE_SECONDS=%s: want whole seconds", text)
	}
	return time.Duration(seconds) * time.Second
}

// pause lets time pass: what is measured is how the page spends it.
func pause(b *testing.B, d time.Duration) {
	b.Helper()
	select {
	case <-time.After(d):
	case <-b.Context().Done():
		b.Fatal(b.Context().Err())
	}
}

// collected is the bytes of the page's heap after a collection.
func collected(b *tab) float64 {
	b.t.Helper()
	call(b, heapprofiler.CollectGarbage, cdp.Empty{})
	return call(b, runtime.GetHeapUsage, cdp.Empty{}).UsedSize
}

// metrics are Chromium's of the page; durations in seconds.
func metrics(b *tab) map[string]float64 {
	b.t.Helper()
	all := map[string]float64{}
	for _, m := range call(b, performance.GetMetrics, cdp.Empty{}).Metrics {
		all[m.Name] = m.Value
	}
	if _, ok := all["TaskDuration"]; !ok {
		b.t.Fatal(fmt.Errorf("the browser does not measure the time of tasks: %v", all))
	}
	return all
}

// call sends a command of the protocol and returns its answer.
func call[P, R any](b *tab, c cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, probe.Patience)
	defer cancel()
	r, err := chromedp.Call(ctx, c, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}
