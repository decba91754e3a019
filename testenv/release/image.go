package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/credence-stream/credence/testenv/release/oci"
)

// image is the container image of a release, for every processor that Linux is released for.
type image struct {
	source *source
	layout *oci.Layout
	made   []imaged
}

// imaged is the image for one processor, with what there is to say of it.
type imaged struct {
	oci.Made
	program string
	bill    []byte
	trust   *debug.Module // where the certificates are from
}

func newImage(s *source) *image {
	return &image{source: s, layout: &oci.Layout{Name: binary, Tag: s.version, Time: s.time}}
}

// add adds the image around a program, with the licences of its modules.
func (i *image) add(ctx context.Context, processor, program string, third []byte) error {
	s := i.source
	run, err := recipe(s.root, map[string]string{"VERSION": s.version, "REVISION": s.revision})
	if err != nil {
		return err
	}
	// What labels say of the image, annotations say to who does not open it.
	i.layout.Annotations = run.Labels
	t, err := newTree(ctx, s.root, program, s.version, third)
	if err != nil {
		return err
	}
	made, err := i.layout.Add(oci.Platform{Architecture: processor, OS: "linux"}, run, t.files)
	i.made = append(i.made, imaged{made, program, t.bill, t.trust})
	return err
}

// write writes the image for all processors into the folder out, as one archive, with
// bill of materials and provenance attached and, once more, beside it.
func (i *image) write(out string) error {
	if len(i.made) == 0 {
		return nil
	}
	for _, m := range i.made {
		from, err := i.source.provenance(m)
		if err != nil {
			return err
		}
		bill, err := statement(m, predicateBill, m.bill)
		if err != nil {
			return err
		}
		if err := i.layout.Attest(m.Made, oci.Statement{Predicate: predicateBill, Body: bill}, oci.Statement{Predicate: predicateProvenance, Body: from}); err != nil {
			return err
		}
		name := filepath.Join(out, i.source.name("linux", m.Platform.Architecture)+"_image")
		for kind, text := range map[string][]byte{".cdx.json": m.bill, ".provenance.json": from} {
			if err := os.WriteFile(name+kind, text, 0o644); err != nil {
				return err
			}
		}
	}
	name := filepath.Join(out, fmt.Sprintf("%s_%s_image", binary, i.source.version))
	var digest string
	if err := writeTo(name+".oci.tar", func(w *os.File) (err error) {
		digest, err = i.layout.Write(w)
		return err
	}); err != nil {
		return err
	}
	return os.WriteFile(name+".digest", []byte(digest+"\n"), 0o644)
}

// hexadecimal is a digest without its algorithm, which is SHA-256.
func hexadecimal(digest string) string { return strings.TrimPrefix(digest, "sha256:") }
