// Package oci makes container images as OCI image layouts (image specification 1.1) in one
// tar file, without an engine. The same content gives the same bytes. Docker's loader finds
// its own list of images beside the layout, in manifest.json.
package oci

import (
	"archive/tar"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// The media types of the specification and of in-toto's statements.
const (
	mediaIndex     = "application/vnd.oci.image.index.v1+json"
	mediaManifest  = "application/vnd.oci.image.manifest.v1+json"
	mediaConfig    = "application/vnd.oci.image.config.v1+json"
	mediaLayer     = "application/vnd.oci.image.layer.v1.tar+gzip"
	mediaEmpty     = "application/vnd.oci.empty.v1+json"
	mediaStatement = "application/vnd.in-toto+json"
	// artifactAttestation is what BuildKit calls a manifest of statements.
	artifactAttestation = "application/vnd.docker.attestation.manifest.v1+json"
)

// Descriptor names a blob of a layout.
type Descriptor struct {
	MediaType    string            `json:"mediaType"`
	ArtifactType string            `json:"artifactType,omitempty"`
	Digest       string            `json:"digest"` // sha256:, hexadecimal
	Size         int64             `json:"size"`
	Platform     *Platform         `json:"platform,omitempty"`
	Annotations  map[string]string `json:"annotations,omitempty"`
}

// Platform is a system and a processor, by Go's names.
type Platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// index is a list of manifests.
type index struct {
	Schema      int               `json:"schemaVersion"`
	MediaType   string            `json:"mediaType"`
	Manifests   []Descriptor      `json:"manifests"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// manifest is an image, or what is attached to one.
type manifest struct {
	Schema       int               `json:"schemaVersion"`
	MediaType    string            `json:"mediaType"`
	ArtifactType string            `json:"artifactType,omitempty"`
	Config       Descriptor        `json:"config"`
	Layers       []Descriptor      `json:"layers"`
	Subject      *Descriptor       `json:"subject,omitempty"`
	Annotations  map[string]string `json:"annotations,omitempty"`
}

// loaded is an image as Docker's loader finds it.
type loaded struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// Layout is an image for some platforms.
type Layout struct {
	Name        string            // such as credence
	Tag         string            // a valid tag
	Annotations map[string]string // of the index and of each image
	Time        time.Time         // of creation, and of each file

	blobs map[string][]byte // by digest
	index index
	load  []loaded
}

// Made is an image of a layout.
type Made struct {
	Platform                Platform
	Manifest, Config, Layer Descriptor
}

// add keeps a blob and returns what names it.
func (l *Layout) add(media string, blob []byte) Descriptor {
	if l.blobs == nil {
		l.blobs = map[string][]byte{}
	}
	d := Descriptor{MediaType: media, Digest: fmt.Sprintf("sha256:%x", sha256.Sum256(blob)), Size: int64(len(blob))}
	l.blobs[d.Digest] = blob
	return d
}

// addJSON is add of a document.
func (l *Layout) addJSON(media string, doc any) (Descriptor, error) {
	text, err := json.Marshal(doc)
	return l.add(media, text), err
}

// Add adds the image for one platform: the files of Parents in one layer.
func (l *Layout) Add(p Platform, run Config, files []File) (made Made, err error) {
	packed, plain, err := layer(files, l.Time)
	if err != nil {
		return made, err
	}
	made = Made{Platform: p, Layer: l.add(mediaLayer, packed)}
	created := l.Time.Format(time.RFC3339)
	made.Config, err = l.addJSON(mediaConfig, image{
		Created: created, Architecture: p.Architecture, OS: p.OS, Config: run,
		RootFS:  rootFS{"layers", []string{plain}},
		History: []history{{Created: created, CreatedBy: "COPY / /"}},
	})
	if err != nil {
		return made, err
	}
	made.Manifest, err = l.addJSON(mediaManifest, manifest{
		Schema: 2, MediaType: mediaManifest, Config: made.Config, Layers: []Descriptor{made.Layer}, Annotations: l.Annotations,
	})
	made.Manifest.Platform = &made.Platform
	l.index.Manifests = append(l.index.Manifests, made.Manifest)
	l.load = append(l.load, loaded{
		Config: blobPath(made.Config.Digest), Layers: []string{blobPath(made.Layer.Digest)},
		RepoTags: []string{l.Name + ":" + l.Tag + "-" + p.Architecture},
	})
	return made, err
}

// Statement is an in-toto statement about an image.
type Statement struct {
	Predicate string // the type of its predicate, a URI
	Body      []byte // JSON
}

// Attest attaches statements to an image: in a manifest that names the image as its subject,
// which is where registries look for referrers, and stands in the index beside it, as BuildKit
// has it, so that whoever copies the index copies the statements.
func (l *Layout) Attest(to Made, statements ...Statement) error {
	subject := to.Manifest
	subject.Platform = nil
	m := manifest{
		Schema: 2, MediaType: mediaManifest, ArtifactType: artifactAttestation,
		Config: l.add(mediaEmpty, []byte("{}")), Subject: &subject,
	}
	for _, s := range statements {
		d := l.add(mediaStatement, s.Body)
		d.Annotations = map[string]string{"in-toto.io/predicate-type": s.Predicate}
		m.Layers = append(m.Layers, d)
	}
	d, err := l.addJSON(mediaManifest, m)
	d.Platform = &Platform{"unknown", "unknown"}
	d.Annotations = map[string]string{"vnd.docker.reference.type": "attestation-manifest", "vnd.docker.reference.digest": to.Manifest.Digest}
	l.index.Manifests = append(l.index.Manifests, d)
	return err
}

func blobPath(digest string) string { return "blobs/" + strings.Replace(digest, ":", "/", 1) }

// Write writes the layout and returns the digest of the image for all platforms: what a
// registry will call it.
func (l *Layout) Write(w io.Writer) (digest string, err error) {
	// Images before what is attached to them, for readers that take the first.
	slices.SortStableFunc(l.index.Manifests, func(a, b Descriptor) int { return cmp.Compare(len(a.Annotations), len(b.Annotations)) })
	l.index.Schema, l.index.MediaType, l.index.Annotations = 2, mediaIndex, l.Annotations
	all, err := l.addJSON(mediaIndex, l.index)
	if err != nil {
		return "", err
	}
	all.Annotations = map[string]string{
		"org.opencontainers.image.ref.name": l.Tag,
		"io.containerd.image.name":          "docker.io/library/" + l.Name + ":" + l.Tag,
	}
	front := map[string]any{
		"oci-layout":    map[string]string{"imageLayoutVersion": "1.0.0"},
		"index.json":    index{Schema: 2, MediaType: mediaIndex, Manifests: []Descriptor{all}},
		"manifest.json": l.load,
	}
	t := tar.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(front)) {
		text, err := json.Marshal(front[name])
		if err := errors.Join(err, l.entry(t, name, text)); err != nil {
			return "", err
		}
	}
	for _, dir := range []string{"blobs/", "blobs/sha256/"} {
		if err := t.WriteHeader(&tar.Header{Name: dir, Typeflag: tar.TypeDir, Mode: 0o755, ModTime: l.Time, Format: tar.FormatUSTAR}); err != nil {
			return "", err
		}
	}
	for _, d := range slices.Sorted(maps.Keys(l.blobs)) {
		if err := l.entry(t, blobPath(d), l.blobs[d]); err != nil {
			return "", err
		}
	}
	return all.Digest, t.Close()
}

func (l *Layout) entry(t *tar.Writer, name string, content []byte) error {
	h := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content)), ModTime: l.Time, Format: tar.FormatUSTAR}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err := io.Copy(t, bytes.NewReader(content))
	return err
}
