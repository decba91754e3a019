//go:build unix

package browser

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/credence-stream/credence/testenv/programs"
)

// shown are the shards of the demo's key after each of which the moving
// picture has a frame: dense at first, where bands tighten fast.
var shown = []int{3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 33, 39, 46, 53, 60}

// Hundredths of a second that a frame stays, and the last one.
const (
	frameStays = 45
	lastStays  = 400
)

// TestPicture takes the pictures of the documentation anew, into the folder
// that CREDENCE_PICTURE names: page.gif, a key of the demo whose bands tighten,
// and page.png, the same page once they have.
func TestPicture(t *testing.T) {
	dir := os.Getenv("CREDENCE_PICTURE")
	if dir == "" {
		t.Skip("CREDENCE_PICTURE names no folder")
	}
	browser := newBrowser(t)
	demo := programs.Start(t, filepath.Join(scratch, "consumer"), "demo", "--no-browser", "--listen", "127.0.0.1:0")
	b := newTab(t, browser, 1100, 830)
	b.scheme("light")
	b.open(demo.Base + "/")
	b.wait(rowOf("ORD"), "a posterior of ORD")
	b.open(demo.Base + "/key/ORD?variable=beta%5Bhour%5D")
	var frames []image.Image
	var last []byte
	for _, n := range shown {
		b.wait(fmt.Sprintf(`+document.querySelector('[data-testid=t]')?.dataset.value >= %d`, n), fmt.Sprintf("%d shards", n))
		shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		frame, err := png.Decode(bytes.NewReader(shot))
		if err != nil {
			t.Fatal(err)
		}
		frames, last = append(frames, frame), shot
	}
	var moving bytes.Buffer
	if err := gif.EncodeAll(&moving, film(frames, frameStays, lastStays)); err != nil {
		t.Fatal(err)
	}
	if moving.Len() > 700_000 {
		t.Errorf("the moving picture takes %d bytes, want 700,000 at most", moving.Len())
	}
	for name, data := range map[string][]byte{"page.gif": moving.Bytes(), "page.png": last} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil { //nolint:gosec // a picture to commit
			t.Fatal(err)
		}
	}
}
