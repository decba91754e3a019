//go:build unix

package interop

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/local"
	"github.com/credence-stream/credence/testenv/programs"
)

// registryWorld is a topic in each of three formats, with the same rows, and a real
// registry that has the schemas of two of them.
type registryWorld struct {
	*world
	python   string
	registry *local.Registry
	door     *door
	files    string // folder
}

// sold is a row; its second version has a channel.
type sold struct {
	key     string
	version int
	y       float64
	stock   int
	price   *float64
	region  *string
	channel string
}

// someSold are rows of two keys, first those of version 1; some have no price or no region.
func someSold() []sold {
	rng := rand.New(rand.NewPCG(15, 46))
	var all []sold
	for i := range 60 {
		price := rng.Float64() * 10
		s := sold{key: string(rune('a' + i%2)), version: 1 + i/30, y: 3*price + rng.NormFloat64(), stock: rng.IntN(50)}
		if rng.IntN(6) > 0 {
			s.price = &price
		}
		if region := []string{"north", "south", "Zürich"}[rng.IntN(3)]; rng.IntN(6) > 0 {
			s.region = &region
		}
		if s.version == 2 {
			s.channel = []string{"shop", "web"}[rng.IntN(2)]
		}
		all = append(all, s)
	}
	return all
}

// registryReads has a consumer read what Confluent's serializers have written with a real
// registry, which is away when it starts, and when the second version of a schema comes.
// The posteriors are those of the same rows as Arrow shards.
func registryReads(t *testing.T, of *world) {
	w := &registryWorld{world: of, files: t.TempDir()}
	if w.python = testenv.Serializers(t); w.python == "" {
		t.Skip("no serializers") // said so, loudly
	}
	var err error
	w.registry, err = local.StartRegistry(t.Context(), local.Options{})
	missing(t, "Apicurio Registry", err)
	t.Cleanup(func() {
		if err := w.registry.Close(); err != nil {
			t.Error(err)
		}
	})
	w.door = newDoor(t, w.registry.URL)
	for _, format := range []string{"arrow", "avro", "protobuf"} {
		w.create(t, w.topic(format))
	}
	all := someSold()
	arrow := w.fold(t, "arrow", "{format: arrow}")
	protobuf := w.fold(t, "protobuf", fmt.Sprintf("{format: protobuf, schema: {registry: %q, tls: {ca_file: %q}}}", w.registry.TLSURL, w.registry.CA))
	avro := w.fold(t, "avro", fmt.Sprintf("{format: avro, schema: {registry: %q, username: credence, password_file: %q, tls: {ca_file: %q}}}",
		w.door.url, w.write(t, "password", "secret\n"), w.write(t, "door.pem", w.door.ca)))

	w.shards(t, all)
	w.settle(t, arrow)
	want := w.posteriors(t, arrow)
	if len(want) != len(all) {
		t.Fatalf("%d posteriors", len(want))
	}

	w.serialize(t, all[:30])
	w.door.shut.Store(true)
	s := programs.Start(t, w.program("consumer"), "run", "--config", avro.file)
	w.waits(t, s)
	w.door.shut.Store(false)
	w.learnt(t, s, 15)
	w.door.shut.Store(true)
	w.serialize(t, all[30:])
	w.waits(t, s)
	w.door.shut.Store(false)
	w.learnt(t, s, 30)

	w.settle(t, protobuf)
	same(t, w.posteriors(t, avro), want)
	same(t, w.posteriors(t, protobuf), want)

	// What the registry does not know, or knows as something else, is a dead letter.
	newest := w.newestOf(t, w.topic("avro"), len(all))
	other := w.newestOf(t, w.topic("protobuf"), len(all))
	w.send(t, &kgo.Record{Topic: newest.Topic, Key: []byte("a"), Value: append(binary.BigEndian.AppendUint32([]byte{0}, 987654), newest.Value[5:]...)})
	w.send(t, &kgo.Record{Topic: newest.Topic, Key: []byte("a"), Value: other.Value})
	programs.Eventually(t, "two dead letters", func() (bool, error) {
		return s.Metric(t, "records_dead_lettered_total") == 2, nil
	})
	// They are counted before the topic has them.
	for _, why := range []string{"schema 987654, or one that it refers to, is not in the registry", "is of type PROTOBUF, and input.format is avro"} {
		programs.Eventually(t, "a letter that says "+why, func() (bool, error) {
			letters := w.consumer(t, avro, "dead-letters", "list")
			if !strings.Contains(letters, why) {
				return false, fmt.Errorf("the letters are:\n%s", letters)
			}
			return true, nil
		})
	}

	w.consumer(t, avro, "verify")

	// Known schemas need no registry.
	if err := w.registry.Kill(); err != nil {
		t.Fatal(err)
	}
	w.send(t, &kgo.Record{Topic: newest.Topic, Key: []byte("a"), Value: newest.Value}, &kgo.Record{Topic: newest.Topic, Key: []byte("b"), Value: newest.Value})
	w.learnt(t, s, 31)
	s.Stop(t)
}

func (w *registryWorld) topic(format string) string { return w.id + "-sold-" + format }

func (w *registryWorld) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(w.files, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fold writes the configuration of a group that reads the topic of a format.
func (w *registryWorld) fold(t *testing.T, format, input string) *group {
	t.Helper()
	topic := w.topic(format)
	text := fmt.Sprintf(`seed: 7
kafka: {brokers: [%q], group: %q, input: %q, output: %q, format: json}
redis: {url: %q}
input: %s
checkpoint: {interval: 100ms}
http: {listen: "127.0.0.1:0"}
models:
  - match: "**"
    kind: linear
    missing: level
    columns:
      response: y
      features: [price, stock, {name: customer.region, levels: [north, south, Zürich], baseline: north}, {name: channel, levels: [shop, web], baseline: shop}]
`, w.broker(), topic, topic, topic+"-out", w.env.RedisURL(), input)
	return &group{file: w.write(t, format+".yaml", text), output: topic + "-out"}
}

// shards sends rows as shards of one row each.
func (w *registryWorld) shards(t *testing.T, all []sold) {
	t.Helper()
	var text bytes.Buffer
	for _, s := range all {
		row := map[string]any{"key": s.key, "y": s.y, "stock": s.stock, "price": s.price, "customer.region": s.region, "channel": nil}
		if s.version == 2 {
			row["channel"] = s.channel
		}
		if err := json.NewEncoder(&text).Encode(row); err != nil {
			t.Fatal(err)
		}
	}
	run(t, nil, w.program("producer"), "replay", "--input", w.write(t, "sold.jsonl", text.String()), "--key-column", "key", "--rows", "1",
		"--topic", w.topic("arrow"), "--brokers", w.broker())
}

// serialize sends rows as events in Avro and in Protobuf.
func (w *registryWorld) serialize(t *testing.T, all []sold) {
	t.Helper()
	var text bytes.Buffer
	for _, s := range all {
		row := map[string]any{"y": s.y, "stock": s.stock, "price": s.price, "customer": map[string]any{"region": s.region}}
		if s.version == 2 {
			row["channel"] = s.channel
		}
		for _, format := range []string{"avro", "protobuf"} {
			event := map[string]any{"topic": w.topic(format), "format": format, "version": s.version, "key": s.key, "row": row}
			if err := json.NewEncoder(&text).Encode(event); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(t, &text, w.python, "testdata/registry.py", w.broker(), w.registry.URL)
}

// waits expects that a worker is not ready and says that it is for the registry.
func (w *registryWorld) waits(t *testing.T, s *programs.Service) {
	t.Helper()
	programs.Eventually(t, "the worker waits for the registry", func() (bool, error) {
		code, body := s.Fetch(t, "/readyz")
		if code == http.StatusServiceUnavailable && strings.Contains(body, "schema registry") {
			return true, nil
		}
		return false, fmt.Errorf("it says %d %s", code, body)
	})
}

// learnt waits until both keys have so many shards.
func (w *registryWorld) learnt(t *testing.T, s *programs.Service, shards int) {
	t.Helper()
	programs.Eventually(t, fmt.Sprintf("%d shards of each key", shards), func() (bool, error) {
		for _, key := range []string{"a", "b"} {
			if _, body := s.Fetch(t, "/v1/models/"+key); !strings.Contains(body, fmt.Sprintf(`"t":%d,`, shards)) {
				return false, fmt.Errorf("key %s: %.300s", key, body)
			}
		}
		return true, nil
	})
}

// newestOf is the last of n records of a topic that were sent as version 2.
func (w *registryWorld) newestOf(t *testing.T, topic string, n int) *kgo.Record {
	t.Helper()
	var newest *kgo.Record
	for _, r := range w.read(t, topic, n) {
		if newest == nil || !r.Timestamp.Before(newest.Timestamp) {
			newest = r
		}
	}
	return newest
}

// door is the way to a registry by TLS, for those who know a password; it can be shut as
// that of a server that is down.
type door struct {
	url, ca string
	shut    atomic.Bool
}

func newDoor(t *testing.T, to string) *door {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	d := new(door)
	inner := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		user, password, _ := req.BasicAuth()
		switch {
		case d.shut.Load():
			panic(http.ErrAbortHandler) // the connection breaks
		case user != "credence" || password != "secret":
			rw.WriteHeader(http.StatusUnauthorized)
		default:
			req.Header.Del("Authorization")
			inner.ServeHTTP(rw, req)
		}
	}))
	t.Cleanup(server.Close)
	d.url = server.URL + target.Path
	d.ca = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	return d
}
