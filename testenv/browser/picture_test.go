//go:build unix

package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/credence-stream/credence/testenv/programs"
)

// TestPicture takes the README's picture of the page anew, into the file that
// CREDENCE_PICTURE names: a key of the demo once its bands have tightened.
func TestPicture(t *testing.T) {
	file := os.Getenv("CREDENCE_PICTURE")
	if file == "" {
		t.Skip("CREDENCE_PICTURE names no file")
	}
	browser := newBrowser(t)
	demo := programs.Start(t, filepath.Join(scratch, "consumer"), "demo", "--no-browser", "--listen", "127.0.0.1:0")
	b := newTab(t, browser, 1280, 900)
	b.scheme("light")
	b.open(demo.Base + "/")
	b.wait(rowOf("ORD"), "a posterior of ORD")
	b.open(demo.Base + "/key/ORD?variable=beta%5Bhour%5D")
	b.wait(`+document.querySelector('[data-testid=t]')?.dataset.value >= 60`, "60 shards")
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o600); err != nil {
		t.Fatal(err)
	}
}
