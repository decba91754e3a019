package registry

import (
	"context"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
)

const row = `{"type":"record","name":"Row","fields":[{"name":"y","type":"int"}]}`

// fake is a registry that counts what it is asked.
func fake(t *testing.T, opts ...srfake.Option) (r *srfake.Registry, asked *atomic.Int32) {
	t.Helper()
	r = srfake.New(opts...)
	t.Cleanup(r.Close)
	asked = new(atomic.Int32)
	r.Intercept(func(http.ResponseWriter, *http.Request) bool {
		asked.Add(1)
		return false
	})
	return r, asked
}

func open(t *testing.T, o Options) *Registry {
	t.Helper()
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// value names a schema.
func value(id uint32, body string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, id), body...)
}

func records(values ...[]byte) []pipeline.Record {
	all := make([]pipeline.Record, len(values))
	for i, v := range values {
		all[i] = pipeline.Record{Offset: int64(10 + i), Epoch: 3, Value: v}
	}
	return all
}

// decode reads a record as a lane does.
func decode(t *testing.T, r *pipeline.Record) (float64, error) {
	t.Helper()
	b, err := pipeline.Decode(NewDecoder(events.Limits{}, events.Wanted{}, nil), r)
	if err != nil {
		return 0, err
	}
	return b.Columns[0].Number[0], nil
}

// Each schema is asked for once, and not for what has none; an id that is not there is
// asked for again in the next answer, for it may be there by then.
func TestSchemasAreAskedForOnce(t *testing.T) {
	server, asked := fake(t)
	server.SeedSchema("a", 1, 1, sr.Schema{Schema: row})
	server.SeedSchema("b", 1, 2, sr.Schema{Schema: `{"type":"string"}`, Type: sr.TypeJSON})
	server.SeedSchema("c", 1, 3, sr.Schema{Schema: `{"type":"record"}`})
	r := open(t, Options{URL: server.URL(), Format: Avro})
	for range 2 {
		all := records(value(1, "\x02"), nil, []byte("{}"), value(1, "\x04"), value(2, "1"), value(3, "1"), value(9, ""), value(9, ""))
		all[1].Refused = errors.New("large")
		if n, err := r.Learn(t.Context(), all); n != len(all) || err != nil {
			t.Fatal(n, err)
		}
		for i, want := range map[int]string{2: "takes 5", 4: "of type JSON", 5: "cannot be used", 6: "schema 9", 7: "schema 9"} {
			if _, err := decode(t, &all[i]); !errors.Is(err, pipeline.ErrDecode) || !strings.Contains(err.Error(), want) {
				t.Errorf("%d: %v", i, err)
			}
		}
		for i, want := range map[int]float64{0: 1, 3: 2} {
			if y, err := decode(t, &all[i]); y != want || err != nil {
				t.Error(y, err)
			}
		}
	}
	if n := asked.Load(); n != 3+2 {
		t.Errorf("asked %d times", n)
	}
	server.SeedSchema("d", 1, 9, sr.Schema{Schema: row})
	all := records(value(9, "\x06"))
	if _, err := r.Learn(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if y, err := decode(t, &all[0]); y != 3 || err != nil {
		t.Error(y, err)
	}
}

// follow is a log that answers with the same records.
type follow struct {
	pipeline.Log
	records []pipeline.Record
	freed   int
}

func (l *follow) Follow(context.Context, pipeline.Partition, pipeline.Position, int, *pipeline.Room) (pipeline.Fetched, error) {
	all := append([]pipeline.Record(nil), l.records...)
	return pipeline.Fetched{Records: all, Next: 100, End: 200, Epoch: 7, Read: 90, Free: func() { l.freed++ }}, nil
}

// The records before an outage are handed on, and the next answer begins where it
// stands; without any there is the outage, which tells itself from one of Kafka.
func TestOutages(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter){
		"unavailable":  func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
		"unauthorized": func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) },
		"not found by another server": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("<html>no such page</html>"))
		},
		"no JSON": func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>welcome</html>")) },
	} {
		t.Run(name, func(t *testing.T) {
			server := srfake.New()
			defer server.Close()
			server.SeedSchema("a", 1, 1, sr.Schema{Schema: row})
			server.SeedSchema("b", 1, 2, sr.Schema{Schema: row})
			away := true
			server.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
				if away && strings.HasSuffix(r.URL.Path, "/2") {
					answer(w)
					return true
				}
				return false
			})
			log := &follow{records: records(value(1, "\x02"), value(1, "\x04"), value(2, "\x06"), value(1, "\x08"))}
			l := NewLog(log, open(t, Options{URL: server.URL(), Format: Avro}))
			f, err := l.Follow(t.Context(), pipeline.Partition{}, pipeline.Position{}, 1, nil)
			if err != nil || len(f.Records) != 2 || f.Next != 12 || f.Epoch != 3 || f.Read != 12 || f.End != 200 || log.freed != 0 {
				t.Fatalf("%+v %v", f, err)
			}
			log.records = log.records[2:]
			_, err = l.Follow(t.Context(), pipeline.Partition{}, pipeline.Position{}, 1, nil)
			var outage *pipeline.OutageError
			if !errors.As(err, &outage) || outage.Of != "schema registry" || log.freed != 1 {
				t.Fatalf("%v, freed %d times", err, log.freed)
			}
			away = false
			if f, err = l.Follow(t.Context(), pipeline.Partition{}, pipeline.Position{}, 1, nil); err != nil || len(f.Records) != 2 || f.Next != 100 || f.Epoch != 7 || f.Read != 90 {
				t.Fatalf("%+v %v", f, err)
			}
		})
	}
}

// A topic of very many schemas is read in steps, and what is known is bounded.
func TestManySchemas(t *testing.T) {
	server, asked := fake(t)
	var values [][]byte
	for id := range uint32(keptSchemas + 100) {
		server.SeedSchema(fmt.Sprint(id), 1, int(id+1), sr.Schema{Schema: row})
		values = append(values, value(id+1, "\x02"))
	}
	r := open(t, Options{URL: server.URL(), Format: Avro})
	all, steps := records(values...), 0
	for rest := all; len(rest) > 0; steps++ {
		n, err := r.Learn(t.Context(), rest)
		if err != nil || n == 0 || n > maxAsked {
			t.Fatal(n, err)
		}
		rest = rest[n:]
	}
	if steps != (len(values)+maxAsked-1)/maxAsked || int(asked.Load()) != len(values) {
		t.Errorf("%d steps, asked %d times", steps, asked.Load())
	}
	if n := len(r.cache.known); n != keptSchemas || r.cache.order.Len() != n {
		t.Errorf("%d schemas are known", n)
	}
	// What was let go is still known to its record.
	if y, err := decode(t, &all[0]); y != 1 || err != nil {
		t.Error(y, err)
	}
	c := newCache()
	for id := range uint32(10) {
		c.put(&Schema{id: id, size: keptBytes / 4})
	}
	if c.bytes > keptBytes || len(c.known) != 4 || c.get(9) == nil || c.get(0) != nil {
		t.Errorf("%d schemas of %d bytes are known", len(c.known), c.bytes)
	}
}

// A schema may refer to others, and these to others again, by their names.
func TestReferences(t *testing.T) {
	server, _ := fake(t)
	server.SeedSchema("id", 1, 1, sr.Schema{Schema: `{"type":"record","name":"t.Id","fields":[{"name":"n","type":"int"}]}`})
	server.SeedSchema("who", 1, 2, sr.Schema{Schema: `{"type":"record","name":"t.Who","fields":[{"name":"id","type":"t.Id"}]}`, References: []sr.SchemaReference{{Name: "t.Id", Subject: "id", Version: 1}}})
	server.SeedSchema("row", 1, 3, sr.Schema{Schema: `{"type":"record","name":"t.Row","fields":[{"name":"who","type":"t.Who"},{"name":"other","type":"t.Id"}]}`,
		References: []sr.SchemaReference{{Name: "t.Who", Subject: "who", Version: 1}, {Name: "t.Id", Subject: "id", Version: 1}}})
	server.SeedSchema("inner.proto", 1, 5, sr.Schema{Schema: `syntax = "proto3"; package t; message Inner { int32 n = 1; }`, Type: sr.TypeProtobuf})
	server.SeedSchema("outer.proto", 1, 6, sr.Schema{Schema: `syntax = "proto3"; package t; import "t/inner.proto"; message First {} message Outer { Inner inner = 1; message Deep { int32 n = 1; } }`,
		Type: sr.TypeProtobuf, References: []sr.SchemaReference{{Name: "t/inner.proto", Subject: "inner.proto", Version: 1}}})
	// What no registry lets in: a schema that refers to what is not there, and to itself.
	refers := map[string]string{"/schemas/ids/4": "q", "/schemas/ids/7": "itself", "/subjects/itself/versions/1": "itself"}
	server.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		subject, ok := refers[r.URL.Path]
		if ok {
			_, _ = fmt.Fprintf(w, `{"schema":%q,"references":[{"name":%q,"subject":%q,"version":1}]}`, row, subject, subject)
		}
		return ok
	})
	a := open(t, Options{URL: server.URL(), Format: Avro})
	all := records(value(3, "\x0e\x10"), value(4, "\x02"), value(7, "\x02"))
	if n, err := a.Learn(t.Context(), all); n != len(all) || err != nil {
		t.Fatal(n, err)
	}
	if y, err := decode(t, &all[0]); y != 7 || err != nil {
		t.Error(y, err)
	}
	if _, err := decode(t, &all[1]); err == nil || !strings.Contains(err.Error(), "schema 4, or one that it refers to") {
		t.Error(err)
	}
	p := open(t, Options{URL: server.URL(), Format: Protobuf})
	all = records(value(6, "\x02\x02\x0a\x02\x08\x07"), value(6, "\x04\x02\x00\x08\x09"), value(6, "\x02\x08"), value(6, ""), value(6, "\xff\xff\x03"), value(6, "\x02"), value(5, "\x00\x08\x05"))
	if n, err := p.Learn(t.Context(), all); n != len(all) || err != nil {
		t.Fatal(n, err)
	}
	for i, want := range map[int]float64{0: 7, 1: 9, 6: 5} {
		if y, err := decode(t, &all[i]); y != want || err != nil {
			t.Error(i, y, err)
		}
	}
	for i, want := range map[int]string{2: "message [4] of a file", 3: "does not name a message type", 4: "does not name a message type", 5: "does not name a message type"} {
		if _, err := decode(t, &all[i]); !errors.Is(err, pipeline.ErrDecode) || !strings.Contains(err.Error(), want) {
			t.Error(i, err)
		}
	}
}

// The registry is asked with user and password over TLS, and an answer that is larger
// than a schema may be costs what is read of it.
func TestAccess(t *testing.T) {
	var answer string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); !ok || user != "credence" || password != "hush" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(answer))
	}))
	defer server.Close()
	dir := t.TempDir()
	ca, password := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "password")
	for file, text := range map[string][]byte{ca: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), password: []byte("hush\n")} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{URL: server.URL, Format: Avro, Username: "credence", PasswordFile: password, TLS: access.TLS{CAFile: ca}}
	r := open(t, o)
	answer = fmt.Sprintf(`{"schema":%q}`, row)
	all := records(value(1, "\x02"))
	if _, err := r.Learn(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	answer = `{"schema":"` + strings.Repeat("a", maxAnswer) + `"}`
	all = records(value(2, "\x02"))
	if _, err := r.Learn(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if _, err := decode(t, &all[0]); err == nil || !strings.Contains(err.Error(), "it has more than") {
		t.Error(err)
	}
	for name, change := range map[string]func(*Options){
		"another password":  func(o *Options) { o.PasswordFile = ca },
		"nobody":            func(o *Options) { o.Username = "" },
		"unknown authority": func(o *Options) { o.TLS = access.TLS{} },
	} {
		other := o
		change(&other)
		_, err := open(t, other).Learn(t.Context(), records(value(1, "\x02")))
		var outage *pipeline.OutageError
		if !errors.As(err, &outage) || strings.Contains(err.Error(), "hush") || name == "unknown authority" && !errors.As(err, new(x509.UnknownAuthorityError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, url := range []string{"", "registry:8081", "ftp://a", "http://user:hush@a"} {
		if _, err := New(Options{URL: url, Format: Avro}); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := New(Options{URL: "http://a", Format: Avro, Username: "u", PasswordFile: filepath.Join(dir, "none")}); err == nil {
		t.Error("a password file that is not there")
	}
}
