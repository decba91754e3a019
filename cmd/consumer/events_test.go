package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	arrowOf "github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// sale is an event of the tests.
type sale struct {
	price  float64
	stock  int64
	region string // "": missing
	promo  bool
	y      float64
}

func sales(n int) []sale {
	rng := rand.New(rand.NewPCG(15, 1))
	all := make([]sale, n)
	for i := range all {
		s := sale{price: float64(rng.IntN(400)) / 8, stock: rng.Int64N(1 << 40), region: []string{"north", "south", ""}[rng.IntN(3)], promo: rng.IntN(2) == 0}
		s.y = 2 + s.price + rng.NormFloat64()
		if i%3 == 0 { // also numbers that are written as whole ones
			s.price, s.y = float64(int(s.price)), float64(int(s.y))
		}
		all[i] = s
	}
	return all
}

// shards are the sales as producer replay sends them, a row to a shard.
func shards(all []sale) []*cdf.Batch {
	var batches []*cdf.Batch
	for _, s := range all {
		truth := 0.0
		if s.promo {
			truth = 1
		}
		region := cdf.Column{Name: "customer.region", Type: cdf.Text, Code: []int32{-1}}
		if s.region != "" {
			region.Code, region.Levels = []int32{0}, []string{s.region}
		}
		batches = append(batches, &cdf.Batch{Rows: 1, Columns: []cdf.Column{
			{Name: "price", Number: []float64{s.price}},
			{Name: "stock", Type: cdf.Integer, Int: []int64{s.stock}, Number: []float64{float64(s.stock)}},
			region,
			{Name: "promo", Type: cdf.Bool, Number: []float64{truth}},
			{Name: "y", Number: []float64{s.y}},
		}})
	}
	return batches
}

// text is a sale as JSON, its fields in an order of their own.
func (s sale) text(rng *rand.Rand) string {
	fields := []string{
		fmt.Sprintf(`"price": %v`, s.price), fmt.Sprintf(`"stock":%d`, s.stock), fmt.Sprintf(`"promo":%t`, s.promo),
		fmt.Sprintf(`"y":%v`, s.y), `"tags":["a",{"y":7}]`,
	}
	if s.region != "" {
		fields = append(fields, fmt.Sprintf(`"customer":{"id":7,"region":%q}`, s.region))
	}
	rng.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return "{" + strings.Join(fields, ",") + "}"
}

const saleModels = `models: [{match: "**", kind: linear, columns: {response: y, features: [price, stock, promo, {name: customer.region, levels: [north, south], baseline: north}]}}]`

// put sends values under one key, as any producer would.
func (w *world) put(key string, values []string) {
	w.Helper()
	c := w.config()
	conn := w.connect(c)
	if err := conn.CreateTopics(w.Context(), c); err != nil {
		w.Fatal(err)
	}
	var outs []pipeline.Output
	for _, v := range values {
		outs = append(outs, pipeline.Output{Topic: c.Kafka.Input, Key: []byte(key), Value: []byte(v), Time: 1})
	}
	if _, err := kafka.NewPublisher(conn.Client, kafka.LZ4).Publish(w.Context(), outs); err != nil {
		w.Fatal(err)
	}
}

// learnt returns the snapshot of a key's state.
func (w *world) learnt(key string) []byte {
	w.Helper()
	_, _, cell := w.cell(key)
	var e pipeline.Envelope
	if err := e.UnmarshalBinary([]byte(cell[1:])); err != nil {
		w.Fatal(err)
	}
	return e.Snapshot
}

// worldOfShards has learnt from the sales as Arrow shards, under the key k.
func worldOfShards(t *testing.T, all []sale) *world {
	t.Helper()
	w := newWorldOf(t, "format: json", saleModels)
	var streams []string
	for _, b := range shards(all) {
		stream, err := arrowOf.Encode(b)
		if err != nil {
			t.Fatal(err)
		}
		streams = append(streams, string(stream))
	}
	w.put("k", streams)
	w.must("run", "--until-end")
	return w
}

// leadsThere sends the sales as events of a format and an input, and fails the test
// unless they lead to the state of the shards, which verify recomputes.
func leadsThere(t *testing.T, shards *world, all []sale, format, input string, value func(sale) string) {
	t.Helper()
	w := newWorldOf(t, "format: json", "input: "+input+"\n"+saleModels)
	var values []string
	for _, s := range all {
		values = append(values, value(s))
	}
	w.put("k", values)
	w.must("run", "--until-end")
	if !bytes.Equal(w.learnt("k"), shards.learnt("k")) {
		a, _ := shards.must("get", "k")
		b, _ := w.must("get", "k")
		t.Errorf("the state is another one:\n%s\n%s", b, a)
	}
	if _, messages := w.must("verify"); !strings.Contains(messages, "1 key matches the log, 0 differ") {
		t.Error(messages)
	}
	if out, _ := w.must("check"); !strings.Contains(out, "events in "+format+" fit the configuration") || strings.Contains(out, "has no value") {
		t.Error(out)
	}
}

// lettersSay fails the test unless the dead letters are the bad values in order, each
// with its reason.
func (w *world) lettersSay(bad, why []string) {
	w.Helper()
	letters := w.once("in.dead")
	if len(letters) != len(bad) {
		w.Fatalf("%d letters", len(letters))
	}
	for i := range letters {
		reason := ""
		for _, h := range letters[i].Headers {
			reason += h.Key + "=" + string(h.Value) + " "
		}
		if !strings.Contains(reason, why[i]) || string(letters[i].Key) != "k" || string(letters[i].Value) != bad[i] {
			w.Errorf("%q: %s", bad[i], reason)
		}
	}
}

// Events in JSON, plain, in a Debezium envelope and in one of Connect, lead to the
// state that the same rows as Arrow shards lead to, to the bit; verify recomputes it.
func TestEventsLeadWhereShardsDo(t *testing.T) {
	all := sales(120)
	arrow := worldOfShards(t, all)
	for name, c := range map[string]struct{ input, envelope string }{
		"plain":    {"{format: json}", "%s"},
		"array":    {"{format: json}", "[%s]"},
		"debezium": {"{format: json, payload: payload.after}", `{"schema":{"fields":[{"y":1}]},"payload":{"before":null,"after":%s,"op":"c"}}`},
		"connect":  {"{format: json, payload: payload}", `{"payload":%s,"schema":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			leadsThere(t, arrow, all, "json", c.input, func(s sale) string { return fmt.Sprintf(c.envelope, s.text(rng)) })
		})
	}
}

// What is wrong with an event is said with its path, and nothing of it is lost.
func TestEventsThatAreRefused(t *testing.T) {
	w := newWorldOf(t, "format: json, input: in", "input: {format: json, payload: after}\n"+saleModels)
	good := `{"after":` + sales(1)[0].text(rand.New(rand.NewPCG(1, 1))) + `}`
	bad := []string{
		`{"after":{"price":NaN}}`, `{"after":{"customer":{"age":1,"age":2}}}`, `{"after":null}`, `{"before":{}}`,
		`{"after":{"cost":1,"number":2}}`, `{"after":[]}`, `{"after":{"y":1}`, `[]`,
	}
	why := []string{
		"decode: $.after.price: invalid character 'N'", "$.after.customer.age: is there twice", "$.after: null, as of a row that was deleted",
		`there is no "after"`, `none of the columns that the models name is here: "y", "price", "stock", "promo", "customer.region"; it has "cost", "number"`,
		"no rows", "it ends too early", `an array where an object with "after" belongs`,
	}
	w.put("k", append(slices.Clone(bad), good))
	w.must("run", "--until-end")
	w.lettersSay(bad, why)
	if out, _ := w.must("dead-letters", "list"); !strings.Contains(out, "k") {
		t.Error(out)
	}
}

// Another path to the rows is another configuration: the partition halts.
func TestInputIsPartOfTheFingerprint(t *testing.T) {
	of := func(input string) string {
		c, _, err := config.Parse(config.Source{Kinds: models.Kinds(), File: "c.yaml"}, []byte(input+saleModels))
		if err != nil {
			t.Fatal(err)
		}
		rules, err := connect.NewRules(c)
		if err != nil {
			t.Fatal(err)
		}
		return rules.Config()
	}
	plain, arrow, jsons, payload := of(""), of("input: {format: arrow}\n"), of("input: {format: json}\n"), of("input: {format: json, payload: a}\n")
	if plain != arrow || arrow == jsons || jsons == payload {
		t.Error(plain, arrow, jsons, payload)
	}
}

// A draft of a topic of events names their format, and what it drafts is run.
func TestInitFromEvents(t *testing.T) {
	w := newWorldOf(t, "format: json, input: sold", "input: {format: json}\n"+saleModels)
	rng := rand.New(rand.NewPCG(3, 3))
	var values []string
	for _, s := range sales(60) {
		values = append(values, s.text(rng))
	}
	w.put("k", values)
	code, out, messages := command(t, "init", "--topic", "sold", "--brokers", w.env.Brokers()[0], "--input-format", "json", "--response", "y")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, messages)
	}
	for _, want := range []string{"input: {format: json}", "events in json of topic sold", "customer.region", "tags: type array is not read"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// What is null in the first events of a topic, or has whole numbers and others, is what all
// events say that it is, and the draft is run without a dead letter.
func TestInitFromEventsWithNulls(t *testing.T) {
	w := newWorldOf(t, "format: json, input: sold", "input: {format: json}\n"+saleModels)
	var values []string
	for i := range 120 {
		late, text, whole, mixed := "null", "null", "null", strconv.Itoa(i%7)
		if i > 40 {
			late, text = fmt.Sprintf("%d.5", i%11), fmt.Sprintf("%q", string("abc"[i%3]))
		}
		if i%3 > 0 {
			whole = strconv.Itoa(i * 7 % 9)
		}
		if i%2 == 0 {
			mixed += ".25"
		}
		values = append(values, fmt.Sprintf(`{"late":%s,"text":%s,"whole":%s,"mixed":%s,"never":null,"y":%d.5}`, late, text, whole, mixed, i%13))
	}
	w.put("k", values)
	w.file = filepath.Join(t.TempDir(), "draft.yaml")
	code, _, messages := command(t, "init", "--topic", "sold", "--brokers", w.env.Brokers()[0], "--input-format", "json", "--from", "beginning",
		"--set", "redis.url="+w.env.RedisURL(), "--set", "http.listen=", "--out", w.file)
	for _, want := range []string{`"late"   numbers`, `"text"   text      3 levels`, `"whole"  integers`, `"mixed"  numbers`, `"never"  numbers   -                        120 (100%)  left out: no value in any row`, `"y"      numbers   0.5 to 12.5              -           response`} {
		if code != 0 || !strings.Contains(messages, want) {
			t.Errorf("exit %d, no %q in\n%s", code, want, messages)
		}
	}
	if strings.Contains(messages, "another type") {
		t.Error(messages)
	}
	if _, messages := w.must("run", "--until-end"); strings.Contains(messages, "dead letter") {
		t.Error(messages)
	}
}
