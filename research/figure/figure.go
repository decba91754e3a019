// Package figure draws what package study found, as the paper does and beyond
// it: PNG for eyes, SVG for print. The same results give the same bytes.
package figure

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/credence-stream/credence/research/study"
)

// Data are the results of one experiment.
type Data struct {
	Experiment string
	Size       study.Size
	Results    []study.Result
	Drawn      []study.Drawn
	// Ceiling is the accuracy that an exact sampler has, see
	// study.Job.Floor.
	Ceiling float64
}

// kind is a kind of figure. Its page is nil with a reason where the data lack
// what it needs, and without one where it is not about their experiment.
type kind struct {
	what string
	page func(*Data) (p *page, lacks string)
}

var kinds = []kind{
	{"densities", densities},
	{"accuracy", accuracy},
	{"window", window},
	{"long", long},
}

// Write draws all figures of an experiment, <experiment>-<what>.png and .svg
// in a directory, and returns the names of the files and, for each figure that
// the data lack something for, a line that says what.
func Write(dir string, d *Data) (files, missing []string, err error) {
	for _, k := range kinds {
		name := d.Experiment + "-" + k.what
		p, lacks := k.page(d)
		if p == nil {
			if lacks != "" {
				missing = append(missing, fmt.Sprintf("no figure %s: %s", name, lacks))
			}
			continue
		}
		for _, format := range []struct {
			ending string
			render func(*page) ([]byte, error)
		}{{".png", raster}, {".svg", vector}} {
			b, err := format.render(p)
			if err != nil {
				return files, missing, fmt.Errorf("figure %s%s: %w", name, format.ending, err)
			}
			// #nosec G306 -- figures are for anyone to read
			if err := os.WriteFile(filepath.Join(dir, name+format.ending), b, 0o644); err != nil {
				return files, missing, err
			}
			files = append(files, name+format.ending)
		}
	}
	return files, missing, nil
}

// Drawn returns the SVG files that Write has left in a directory for an
// experiment, in the order of drawing.
func Drawn(dir, experiment string) []string {
	var files []string
	for _, k := range kinds {
		file := experiment + "-" + k.what + ".svg"
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			files = append(files, file)
		}
	}
	return files
}

// Check makes the directory where there is none and fails where no file can
// be written in it.
func Check(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".figure-*")
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Remove(f.Name())
}

func raster(p *page) ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(pageWidth, p.height()), vgimg.UseDPI(dpi))
	return rendered(p, c, vgimg.PngCanvas{Canvas: c})
}

func vector(p *page) ([]byte, error) {
	c := vgsvg.New(pageWidth, p.height())
	b, err := rendered(p, c, c)
	// Readers without this font have one of the same widths, or another
	// without serifs.
	return bytes.ReplaceAll(b, []byte("Liberation Sans;"), []byte("Liberation Sans,Arial,Helvetica,sans-serif;")), err
}

func rendered(p *page, on vg.CanvasSizer, from io.WriterTo) ([]byte, error) {
	p.draw(draw.New(on))
	var out bytes.Buffer
	_, err := from.WriteTo(&out)
	return out.Bytes(), err
}
