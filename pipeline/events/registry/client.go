package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events/avro"
)

// Options say where a schema registry is and what its schemas are read for.
type Options struct {
	URL          string // http or https
	Format       string // Avro or Protobuf
	Username     string
	PasswordFile string     // its trailing line break is not part of the password
	TLS          access.TLS // of https; Enabled does not matter
	// OnUnusable, when not nil, is told once of a file that has changed and cannot be used.
	// What it held before stays in use.
	OnUnusable func(error)
}

// Registry knows the schemas of a schema registry that speaks the API of Confluent's.
// It is safe for concurrent use.
type Registry struct {
	client *sr.Client
	format string
	cache  *cache
	turns  chan struct{} // to ask
}

const (
	timeout = 5 * time.Second // of a request
	atOnce  = 4               // requests
	// maxAnswer bounds an answer in bytes: a schema of the largest size, in JSON.
	maxAnswer = 4 * avro.MaxSchema
	// maxReferences is how many schemas one may refer to.
	maxReferences = 100
)

// errLarge reports an answer that is larger than a schema may be.
var errLarge = fmt.Errorf("it has more than %d bytes", maxAnswer)

// New reads the files that the options name and connects to nothing.
func New(o Options) (*Registry, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, errors.New("schema registry: the URL is not of the form https://host:port; user and password have keys of their own")
	}
	o.TLS.Enabled = u.Scheme == "https"
	t, err := newTransport(o, u.Host)
	if err != nil {
		return nil, fmt.Errorf("schema registry: %w", err)
	}
	r := &Registry{format: o.Format, cache: newCache(), turns: make(chan struct{}, atOnce)}
	if r.client, err = sr.NewClient(sr.URLs(o.URL), sr.UserAgent("credence"), sr.HTTPClient(&http.Client{Timeout: timeout, Transport: bounded{t}})); err != nil {
		return nil, fmt.Errorf("schema registry: %w", err)
	}
	return r, nil
}

// bounded bounds the answers of a transport.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(req)
	if err == nil {
		resp.Body = &boundedBody{ReadCloser: resp.Body, left: maxAnswer}
	}
	return resp, err
}

type boundedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errLarge
	}
	return n, err
}

// schema returns the schema of an id, which the registry is asked for unless it is
// known. The error is an outage.
func (r *Registry) schema(ctx context.Context, id uint32) (s *Schema, asked bool, err error) {
	if s := r.cache.get(id); s != nil {
		return s, false, nil
	}
	select {
	case r.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, true, outage(ctx.Err())
	}
	defer func() { <-r.turns }()
	if s := r.cache.get(id); s != nil { // another has asked
		return s, false, nil
	}
	s, absent, err := r.ask(ctx, id)
	if err != nil {
		return nil, true, outage(err)
	}
	if !absent { // what is absent may come
		r.cache.put(s)
	}
	return s, true, nil
}

func outage(err error) error { return &pipeline.OutageError{Of: "schema registry", Err: err} }

// ask asks the registry for a schema and for those that it refers to.
func (r *Registry) ask(ctx context.Context, id uint32) (s *Schema, absent bool, err error) {
	s = &Schema{id: id, size: schemaBytes}
	got, err := r.client.SchemaByID(ctx, int(id))
	if err == nil && got.Type != types[r.format] {
		s.err = fmt.Errorf("schema %d of the registry is of type %s, and input.format is %s", id, got.Type, r.format)
		return s, false, nil
	}
	var before []source
	if err == nil {
		before, err = r.references(ctx, got.References, map[string]bool{}, nil)
	}
	switch {
	case errors.Is(err, errLarge), errors.Is(err, errMany):
		s.err = fmt.Errorf("schema %d of the registry: %w", id, err)
		return s, false, nil
	case unknown(err):
		s.err = fmt.Errorf("schema %d, or one that it refers to, is not in the registry", id)
		return s, true, nil
	case err != nil:
		return nil, false, err
	}
	size := len(got.Schema)
	for _, b := range before {
		size += len(b.text)
	}
	s.size += perByte * int64(size)
	if s.form, err = compile(ctx, r.format, got.Schema, before); err != nil {
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		s.err = fmt.Errorf("schema %d of the registry cannot be used: %w", id, err)
	}
	return s, false, nil
}

// The codes of a registry for what it does not have. A 404 without one is of something
// else that answers at the URL, which is an outage.
const (
	noSubject = 40401
	noVersion = 40402
	noSchema  = 40403
)

// unknown reports that the registry does not have what it was asked for.
func unknown(err error) bool {
	var e *sr.ResponseError
	if !errors.As(err, &e) || e.StatusCode != http.StatusNotFound {
		return false
	}
	return e.ErrorCode == noSubject || e.ErrorCode == noVersion || e.ErrorCode == noSchema
}

// errMany reports a schema that refers to too many others.
var errMany = fmt.Errorf("it refers to more than %d others, or to more than %d bytes of them", maxReferences, avro.MaxSchema)

// references appends the schemas that one refers to, each after those that it refers
// to itself.
func (r *Registry) references(ctx context.Context, refs []sr.SchemaReference, met map[string]bool, dst []source) ([]source, error) {
	for _, ref := range refs {
		if met[ref.Name] {
			continue
		}
		met[ref.Name] = true
		if len(met) > maxReferences {
			return nil, errMany
		}
		got, err := r.client.SchemaByVersion(sr.WithParams(ctx, sr.ShowDeleted), ref.Subject, ref.Version)
		if err != nil {
			return nil, err
		}
		if dst, err = r.references(ctx, got.References, met, dst); err != nil {
			return nil, err
		}
		dst = append(dst, source{ref.Name, got.Schema.Schema})
		size := 0
		for _, s := range dst {
			size += len(s.text)
		}
		if size > avro.MaxSchema {
			return nil, errMany
		}
	}
	return dst, nil
}
