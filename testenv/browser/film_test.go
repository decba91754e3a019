//go:build unix

package browser

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"maps"
	"slices"
	"testing"
)

// film makes an animation that runs for ever of frames of equal bounds. Each
// frame stays for stays hundredths of a second, the last one for last. All have
// the 63 colours that occur most, and a frame holds only what it changes: a
// page is mostly flat and mostly at rest.
func film(frames []image.Image, stays, last int) *gif.GIF {
	palette := popular(frames, 63)
	clear := uint8(len(palette)) //nolint:gosec // at most 63
	nearest := map[color.RGBA]uint8{}
	index := func(c color.RGBA) uint8 {
		i, ok := nearest[c]
		if !ok {
			i = uint8(palette.Index(c)) //nolint:gosec // at most 62
			nearest[c] = i
		}
		return i
	}
	palette = append(palette, color.RGBA{})
	opaque := palette[:clear]
	bounds := frames[0].Bounds()
	shows := image.NewPaletted(bounds, palette)
	out := &gif.GIF{Config: image.Config{ColorModel: palette, Width: bounds.Dx(), Height: bounds.Dy()}}
	for n, frame := range frames {
		rgba := asRGBA(frame)
		next := image.NewPaletted(bounds, opaque)
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				next.SetColorIndex(x, y, index(rgba.RGBAAt(x, y)))
			}
		}
		part := image.NewPaletted(bounds, palette)
		var changed image.Rectangle
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				i := next.ColorIndexAt(x, y)
				if n > 0 && i == shows.ColorIndexAt(x, y) {
					part.SetColorIndex(x, y, clear)
					continue
				}
				part.SetColorIndex(x, y, i)
				changed = changed.Union(image.Rect(x, y, x+1, y+1))
			}
		}
		if changed.Empty() {
			changed = image.Rect(0, 0, 1, 1).Add(bounds.Min)
		}
		shows = next
		out.Image = append(out.Image, part.SubImage(changed).(*image.Paletted))
		out.Delay = append(out.Delay, stays)
		out.Disposal = append(out.Disposal, gif.DisposalNone)
	}
	out.Delay[len(out.Delay)-1] = last
	return out
}

// popular returns the n colours that occur most in the frames, or all.
func popular(frames []image.Image, n int) color.Palette {
	count := map[color.RGBA]int{}
	for _, frame := range frames {
		pix := asRGBA(frame).Pix
		for i := 0; i < len(pix); i += 4 {
			count[color.RGBA{pix[i], pix[i+1], pix[i+2], 255}]++
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range all[:min(n, len(all))] {
		palette = append(palette, c)
	}
	return palette
}

func asRGBA(m image.Image) *image.RGBA {
	if rgba, ok := m.(*image.RGBA); ok {
		return rgba
	}
	rgba := image.NewRGBA(m.Bounds())
	draw.Draw(rgba, rgba.Rect, m, m.Bounds().Min, draw.Src)
	return rgba
}

// TestFilm plays an animation of few colours as a browser does and compares
// every frame with what went in.
func TestFilm(t *testing.T) {
	var frames []image.Image
	for n := range 5 {
		frame := image.NewRGBA(image.Rect(0, 0, 40, 30))
		draw.Draw(frame, frame.Rect, image.NewUniform(color.RGBA{250, 250, 250, 255}), image.Point{}, draw.Src)
		if n != 3 { // as the first, but for what the second had drawn
			draw.Draw(frame, image.Rect(3*n, 5, 3*n+10, 25), image.NewUniform(color.RGBA{uint8(40 * n), 90, 160, 255}), image.Point{}, draw.Src)
		}
		frames = append(frames, frame)
	}
	frames = append(frames, frames[4])
	var file bytes.Buffer
	if err := gif.EncodeAll(&file, film(frames, 45, 400)); err != nil {
		t.Fatal(err)
	}
	played, err := gif.DecodeAll(&file)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{45, 45, 45, 45, 45, 400}; !slices.Equal(played.Delay, want) || played.LoopCount != 0 {
		t.Errorf("frames stay %v hundredths of a second, loop count %d; want %v, 0", played.Delay, played.LoopCount, want)
	}
	screen := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for n, part := range played.Image {
		draw.Draw(screen, part.Rect, part, part.Rect.Min, draw.Over)
		if played.Disposal[n] != gif.DisposalNone {
			t.Errorf("frame %d is taken away before the next", n)
		}
		if !bytes.Equal(screen.Pix, asRGBA(frames[n]).Pix) {
			t.Errorf("frame %d is not what went in", n)
		}
	}
	for n, want := range map[int]image.Rectangle{1: image.Rect(0, 5, 13, 25), 5: image.Rect(0, 0, 1, 1)} {
		if got := played.Image[n].Rect; got != want {
			t.Errorf("frame %d holds %v, want %v, which changed", n, got, want)
		}
	}
}
