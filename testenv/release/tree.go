package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/credence-stream/credence/testenv/release/oci"
)

// Where things are in an image.
const (
	programsFolder  = "usr/local/bin/"
	certificateFile = "etc/ssl/certs/ca-certificates.crt"
	licencesFolder  = "licenses/"
	billFile        = "usr/local/share/sbom/" + binary + ".cdx.json" // by its name scanners of images know it
)

// tree is all that is in an image.
type tree struct {
	files []oci.File
	bill  []byte        // of its materials, one of the files
	trust *debug.Module // where its certificates are from
}

// newTree makes the files of an image around a program: its names, CA certificates, licences,
// those of the program's modules given, the demo's flights, and a bill of materials of it all.
// Neither the machine nor the time has a part in it.
func newTree(ctx context.Context, root, program, version string, third []byte) (*tree, error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	licence, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	flights, err := gunzipped(filepath.Join(root, "cmd", "consumer", "demo", "flights.csv.gz"))
	if err != nil {
		return nil, err
	}
	authorities, err := certificates()
	if err != nil {
		return nil, err
	}
	from, folder, err := certificatesFrom(ctx, root)
	if err != nil {
		return nil, err
	}
	var more strings.Builder
	if err := appendNotices(&more, from.Path+" "+from.Version, folder); err != nil {
		return nil, err
	}
	t := &tree{trust: from}
	t.files = []oci.File{
		{Name: programsFolder + binary, Mode: 0o755, Data: content},
		{Name: certificateFile, Mode: 0o644, Data: authorities},
		{Name: "etc/passwd", Mode: 0o644, Data: []byte(binary + ":x:65532:65532::/:/sbin/nologin\n")},
		{Name: licencesFolder + "LICENSE", Mode: 0o644, Data: licence},
		{Name: licencesFolder + noticesName, Mode: 0o644, Data: slices.Concat(third, []byte(more.String()))},
		{Name: "data/flights.csv", Mode: 0o644, Data: flights},
		{Name: "tmp", Mode: fs.ModeDir | fs.ModeSticky | 0o777},
	}
	if t.bill, err = t.materials(program, version); err != nil {
		return nil, err
	}
	t.files = append(t.files, oci.File{Name: billFile, Mode: 0o644, Data: t.bill})
	for _, link := range links {
		t.files = append(t.files, oci.File{Name: programsFolder + link, Link: binary})
	}
	t.files = oci.Parents(t.files)
	return t, nil
}

// materials returns the bill of materials of the image: the program with its modules, and
// every other file, with the module that the certificates are from.
func (t *tree) materials(program, version string) ([]byte, error) {
	b, err := materials(program, binary, version)
	if err != nil {
		return nil, err
	}
	app := b.Metadata.Component
	app.Evidence = &evidence{[]occurrence{{"/" + programsFolder + binary}}}
	trust := module(t.trust)
	whole := component{Type: "container", Ref: "image", Name: binary, Version: version}
	all := dependency{Ref: whole.Ref, DependsOn: []string{app.Ref}}
	components, sum := append([]component{app}, append(b.Components, trust)...), sha256.New()
	for _, f := range t.files {
		if f.Mode.IsDir() || f.Link != "" {
			continue
		}
		digest := fmt.Sprintf("%x", sha256.Sum256(f.Data))
		fmt.Fprintln(sum, digest, f.Name)
		if f.Name == programsFolder+binary {
			continue
		}
		c := component{Type: "file", Ref: "file:/" + f.Name, Name: "/" + f.Name, Hashes: []hash{{"SHA-256", digest}}}
		components = append(components, c)
		all.DependsOn = append(all.DependsOn, c.Ref)
		d := dependency{Ref: c.Ref}
		if f.Name == certificateFile {
			d.DependsOn = []string{trust.Ref}
		}
		b.Dependencies = append(b.Dependencies, d)
	}
	b.Metadata.Component, b.Components = whole, components
	b.Dependencies = append(b.Dependencies, dependency{Ref: trust.Ref}, all)
	b.Serial = serial([sha256.Size]byte(sum.Sum(nil)))
	return b.text()
}

// gunzipped returns what a compressed file holds.
func gunzipped(path string) ([]byte, error) {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// writeRoot writes the files of an image into a folder that holds nothing yet, for an engine
// that builds it by the Dockerfile.
func writeRoot(ctx context.Context, root, dir, program, version string) error {
	third, err := notices(ctx, root, program)
	if err != nil {
		return err
	}
	t, err := newTree(ctx, root, program, version, third)
	if err != nil {
		return err
	}
	if err := newFolder(dir); err != nil {
		return err
	}
	return oci.WriteFiles(dir, t.files)
}
