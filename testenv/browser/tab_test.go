//go:build unix

package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/credence-stream/credence/testenv/compose"
	"github.com/credence-stream/credence/testenv/install"
	"github.com/credence-stream/credence/testenv/probe"
)

// findChromium returns the path of Debian's Chromium and installs it where
// that is possible; "" after a loud line where it is not, a failure in CI.
func findChromium(t testing.TB) string {
	t.Helper()
	if path, err := exec.LookPath("chromium"); err == nil {
		return path // without the installer, whose lock others may hold for minutes
	}
	path, err := func() (string, error) {
		i, err := install.New(t.Context(), nil)
		if err != nil {
			return "", err
		}
		defer i.Close() //nolint:errcheck // a lock that is let go
		return i.Program(t.Context(), "chromium", "chromium")
	}()
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("chromium: %v", err)
	}
	fmt.Fprintf(os.Stderr, "\n*** THE PAGE IS NOT TESTED IN A BROWSER: %v ***\n\n", err)
	return ""
}

// asked skips a test where CREDENCE_BACKEND is not set: a plain go test
// neither installs nor starts a browser. A benchmark was asked for by name.
func asked(t testing.TB) {
	t.Helper()
	if _, test := t.(*testing.T); test && os.Getenv("CREDENCE_BACKEND") == "" {
		t.Skip("the page is tested by make integration (CREDENCE_BACKEND=real)")
	}
}

// newBrowser starts a Chromium of the test's own and returns a context for
// tabs of it. A test without a browser is skipped after the loud line.
func newBrowser(t testing.TB) context.Context {
	t.Helper()
	asked(t)
	path := findChromium(t)
	if path == "" {
		t.Skip("no browser: see the line above")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("enable-precise-memory-info", true))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // root has none
	}
	allocated, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	ctx, end := chromedp.NewContext(allocated)
	t.Cleanup(func() {
		end()
		cancel()
	})
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("chromium: %v", err)
	}
	return ctx
}

// tab is a page under test. What a user would find in the console, and
// requests that leave the host, fail the test unless it excuses them.
type tab struct {
	t   testing.TB
	ctx context.Context
	end func() // closes the tab
	axe string // the source of axe-core

	mu       sync.Mutex
	problems []string
	excused  []string
}

// newTab opens a tab of the given size in pixels.
func newTab(t testing.TB, browser context.Context, width, height int64) *tab {
	t.Helper()
	b := &tab{t: t}
	b.ctx, b.end = chromedp.NewContext(browser)
	t.Cleanup(b.end)
	// The tab lives as long as the context of its first command.
	if err := chromedp.Do(b.ctx, chromedp.Navigate("about:blank"), chromedp.EmulateViewport(width, height)); err != nil {
		t.Fatal(err)
	}
	messages, requests := chromedp.Console(b.ctx), chromedp.Events(b.ctx, network.RequestWillBeSent)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if text := fmt.Sprint(m); !strings.HasPrefix(text, "debug") && !strings.HasPrefix(text, "info") && !strings.HasPrefix(text, "log") {
				b.report("console: " + text)
			}
		}
	}()
	go func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			if u, err := url.Parse(r.Request.URL); err != nil || u.Scheme != "about" && u.Scheme != "data" && u.Scheme != "blob" && u.Hostname() != "127.0.0.1" {
				b.report("request to " + r.Request.URL)
			}
		}
	}()
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			t.Errorf("the page's %s", p)
		}
	})
	return b
}

func (b *tab) report(problem string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.excused {
		if strings.Contains(problem, e) {
			return
		}
	}
	b.problems = append(b.problems, problem)
}

// excuse forgives problems that have the text in them, from now on.
func (b *tab) excuse(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.excused = append(b.excused, text)
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, probe.Patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%v; the page shows:\n%.500s", err, b.text())
	}
}

// command sends a command of the protocol that has no action.
func (b *tab) command(send func(context.Context) error) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, probe.Patience)
	defer cancel()
	if err := send(ctx); err != nil {
		b.t.Fatal(err)
	}
}

// open goes to an address and waits until the page has drawn its frame.
func (b *tab) open(address string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, probe.Patience)
	defer cancel()
	if err := chromedp.Do(ctx, navigate(address)); err != nil {
		b.t.Fatalf("%s does not load: %v", address, err)
	}
	b.wait(`document.querySelector("main")`, "its frame at "+address)
}

func navigate(address string) chromedp.Action[chromedp.Void] { return chromedp.Navigate(address) }

// queryEscape writes a text as the value of a query parameter.
func queryEscape(text string) string { return url.QueryEscape(text) }

// scheme sets light or dark.
func (b *tab) scheme(name string) {
	b.t.Helper()
	b.command(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
		})
		return err
	})
}

// wait waits until an expression is true in the page.
func (b *tab) wait(expression, what string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, probe.Patience)
	defer cancel()
	every := time.NewTicker(50 * time.Millisecond)
	defer every.Stop()
	for {
		// A question may fall between two documents, or before what it looks
		// into is there: it is asked again.
		yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")", chromedp.EvalAwaitPromise))
		if err == nil && yes {
			return
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			b.shot("failed")
			b.t.Fatalf("the page does not show %s within %v: %v\nwanted: %s\nit shows:\n%.3000s", what, probe.Patience, err, expression, b.text())
		}
	}
}

// text is what the page says, as a reader sees it.
func (b *tab) text() string {
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return text
}

// value evaluates an expression that may be a promise.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, probe.Patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%v: %s", err, expression)
	}
	return v
}

// agrees waits until an expression says "" of what differs: the page may have what it shows
// in steps, and hear of a shard between two looks.
func (b *tab) agrees(expression, what string) {
	b.t.Helper()
	probe.EventuallyNil(b.t, what, func() error {
		ctx, cancel := context.WithTimeout(b.ctx, probe.Patience)
		defer cancel()
		wrong, err := chromedp.Run(ctx, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
		if err == nil && wrong != "" {
			err = errors.New(wrong)
		}
		return err
	})
}

// press sends keys to what has the focus. The text of a key comes with its
// going down, as from a keyboard: what a page prevents is not typed.
func (b *tab) press(keys string) {
	b.t.Helper()
	for _, r := range keys {
		events := kb.Encode(r)
		down, up := *events[0], *events[len(events)-1]
		if len(events) == 3 {
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
		}
		for _, event := range []input.DispatchKeyEventParams{down, up} {
			b.command(func(ctx context.Context) error {
				_, err := chromedp.Call(ctx, input.DispatchKeyEvent, event)
				return err
			})
		}
	}
}

// shot keeps a screenshot under the test's name.
func (b *tab) shot(name string) {
	b.t.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Logf("screenshot %s: %v", name, err)
		return
	}
	dir := os.Getenv("CREDENCE_SCREENSHOTS")
	if dir == "" {
		root, err := compose.Root()
		if err != nil {
			b.t.Fatal(err)
		}
		dir = filepath.Join(root, ".cache", "screenshots")
	}
	file := filepath.Join(dir, strings.ReplaceAll(b.t.Name(), "/", "-")+"-"+name+".png")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		b.t.Fatal(err)
	}
	if len(png) < 2000 || !bytes.HasPrefix(png, []byte("\x89PNG")) {
		b.t.Errorf("screenshot %s is empty", file)
	}
}

// quote writes a Go string as one of JavaScript.
func quote(s string) string {
	b, _ := json.Marshal(s) // a string can always be written
	return string(b)
}
