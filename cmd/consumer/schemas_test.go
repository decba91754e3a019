package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/models"
)

// saleAvro is the schema of a sale, its fields in an order of their own.
const saleAvro = `{"type":"record","name":"Sale","namespace":"shop","fields":[
  {"name":"customer","type":["null",{"type":"record","name":"Customer","fields":[{"name":"id","type":"long"},{"name":"region","type":["null","string"]}]}]},
  {"name":"y","type":"double"},{"name":"tags","type":{"type":"array","items":"string"}},{"name":"stock","type":"long"},
  {"name":"promo","type":"boolean"},{"name":"price","type":["null","double"]}]}`

// saleEnvelope is saleAvro in an envelope of Debezium.
const saleEnvelope = `{"type":"record","name":"Envelope","namespace":"db.shop.sales","fields":[
  {"name":"before","type":["null",{"type":"record","name":"Value","fields":[
    {"name":"price","type":"double"},{"name":"stock","type":"long"},{"name":"customer","type":["null",{"type":"record","name":"C","fields":[{"name":"region","type":["null","string"]}]}]},
    {"name":"promo","type":"boolean"},{"name":"y","type":"double"}]}],"default":null},
  {"name":"after","type":["null","Value"],"default":null},
  {"name":"source","type":{"type":"record","name":"Source","namespace":"io.debezium.connector.postgresql","fields":[{"name":"lsn","type":["null","long"]},{"name":"table","type":"string"}]}},
  {"name":"op","type":"string"},{"name":"ts_ms","type":["null","long"]}]}`

// saleProto is the same for Protobuf.
const saleProto = `syntax = "proto3";
package shop;
message Other { string note = 1; message Sale { double y = 7; int64 stock = 2; bool promo = 3; optional double price = 4; Customer customer = 5; repeated string tags = 6; } }
message Customer { int64 id = 1; optional string region = 2; }
message Many { repeated Other.Sale sales = 1; }
`

// avro writes a sale in Avro.
func (s sale) avro(t *testing.T, schema *avro.Schema, envelope bool) []byte {
	t.Helper()
	v := map[string]any{"price": s.price, "stock": s.stock, "promo": s.promo, "y": s.y, "tags": []any{"a"}, "customer": nil}
	if s.region != "" {
		v["customer"] = map[string]any{"id": int64(7), "region": s.region}
	}
	if envelope {
		v = map[string]any{"before": nil, "after": v, "source": map[string]any{"lsn": int64(5), "table": "sales"}, "op": "c", "ts_ms": nil}
	}
	b, err := schema.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// proto writes a sale in Protobuf, without the zeros, as every writer does.
func (s sale) proto() []byte {
	var b []byte
	double := func(n protowire.Number, v float64) {
		b = protowire.AppendFixed64(protowire.AppendTag(b, n, protowire.Fixed64Type), math.Float64bits(v))
	}
	if s.stock != 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(s.stock))
	}
	if s.promo {
		b = protowire.AppendVarint(protowire.AppendTag(b, 3, protowire.VarintType), 1)
	}
	double(4, s.price)
	if s.region != "" {
		inner := protowire.AppendVarint([]byte{8}, 7)
		inner = protowire.AppendString(protowire.AppendTag(inner, 2, protowire.BytesType), s.region)
		b = protowire.AppendBytes(protowire.AppendTag(b, 5, protowire.BytesType), inner)
	}
	b = protowire.AppendString(protowire.AppendTag(b, 6, protowire.BytesType), "a")
	if s.y != 0 {
		double(7, s.y)
	}
	return b
}

// headed puts the id of a schema before a value.
func headed(id int, more string, body []byte) string {
	b := binary.BigEndian.AppendUint32([]byte{0}, uint32(id))
	return string(append(append(b, more...), body...))
}

// fakeRegistry is a registry with the schemas of sales: Avro 1, its envelope 2,
// Protobuf 3, JSON 4.
func fakeRegistry(t *testing.T) *srfake.Registry {
	t.Helper()
	r := srfake.New()
	t.Cleanup(r.Close)
	r.SeedSchema("sale-value", 1, 1, sr.Schema{Schema: saleAvro})
	r.SeedSchema("envelope-value", 1, 2, sr.Schema{Schema: saleEnvelope})
	r.SeedSchema("sale-proto", 1, 3, sr.Schema{Schema: saleProto, Type: sr.TypeProtobuf})
	r.SeedSchema("sale-json", 1, 4, sr.Schema{Schema: `{"type":"object"}`, Type: sr.TypeJSON})
	return r
}

// file writes a file for a configuration to name.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Events in Avro and Protobuf, whose schema is a file or in a registry, lead to the
// state that the same rows as Arrow shards lead to, to the bit; verify recomputes it.
func TestSchemasLeadWhereShardsDo(t *testing.T) {
	all := sales(120)
	arrow := worldOfShards(t, all)
	registry := fakeRegistry(t)
	plain, envelope := avro.MustParse(saleAvro), avro.MustParse(saleEnvelope)
	rows := avro.MustParse(`{"type":"array","items":` + saleAvro + `}`)
	rng := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		input string
		value func(sale) string
	}{
		"avro file":     {fmt.Sprintf("{format: avro, schema: {file: %q}}", file(t, "sale.avsc", saleAvro)), func(s sale) string { return string(s.avro(t, plain, false)) }},
		"avro array":    {fmt.Sprintf("{format: avro, schema: {file: %q}}", file(t, "sales.avsc", rows.String())), func(s sale) string { return "\x02" + string(s.avro(t, plain, false)) + "\x00" }},
		"avro registry": {fmt.Sprintf("{format: avro, schema: {registry: %q}}", registry.URL()), func(s sale) string { return headed(1, "", s.avro(t, plain, false)) }},
		"avro debezium": {fmt.Sprintf("{format: avro, payload: after, schema: {registry: %q}}", registry.URL()), func(s sale) string { return headed(2, "", s.avro(t, envelope, true)) }},
		"protobuf file": {fmt.Sprintf("{format: protobuf, schema: {file: %q, message: shop.Other.Sale}}", file(t, "sale.proto", saleProto)), func(s sale) string { return string(s.proto()) }},
		"protobuf array": {fmt.Sprintf("{format: protobuf, payload: sales, schema: {file: %q, message: shop.Many}}", file(t, "sale.proto", saleProto)),
			func(s sale) string { return string(protowire.AppendBytes([]byte{0x0a}, s.proto())) }},
		"protobuf registry": {fmt.Sprintf("{format: protobuf, schema: {registry: %q}}", registry.URL()), func(s sale) string { return headed(3, "\x04\x00\x00", s.proto()) }},
		"json registry":     {fmt.Sprintf("{format: json, schema: {registry: %q}}", registry.URL()), func(s sale) string { return headed(4, "", []byte(s.text(rng))) }},
	} {
		t.Run(name, func(t *testing.T) {
			format, _, _ := strings.Cut(name, " ")
			leadsThere(t, arrow, all, format, c.input, c.value)
		})
	}
}

// While the registry is away nothing is lost: records wait, and are learnt from when it
// answers again. What it does not know, and what cannot be used, is a dead letter with
// the reason.
func TestRegistryIsWaitedForAndWrongIdsAreLetters(t *testing.T) {
	all := sales(30)
	registry := fakeRegistry(t)
	var refused atomic.Int32
	registry.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		if refused.Add(1) > 3 {
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	w := newWorldOf(t, "format: json, input: in", fmt.Sprintf("input: {format: avro, schema: {registry: %q}}\n", registry.URL())+saleModels)
	plain := avro.MustParse(saleAvro)
	var values []string
	for _, s := range all {
		values = append(values, headed(1, "", s.avro(t, plain, false)))
	}
	bad := []string{headed(9, "", []byte{1}), headed(3, "\x00", all[0].proto()), "{}", `{"y":1, "price":2}`, headed(1, "", []byte{0}), headed(1, "", append(all[0].avro(t, plain, false), 7))}
	why := []string{
		"schema 9, or one that it refers to, is not in the registry", "schema 3 of the registry is of type PROTOBUF, and input.format is avro", "2 bytes, where the id of a schema takes 5",
		"it begins with byte 123", "it ends too early", "1 bytes follow what the schema describes",
	}
	w.put("k", append(values, bad...))
	w.must("run", "--until-end")
	if refused.Load() <= 3 {
		t.Errorf("the registry was asked %d times", refused.Load())
	}
	out, _ := w.must("get", "k")
	if !strings.Contains(out, `"t":30`) {
		t.Error(out)
	}
	w.lettersSay(bad, why)
}

// A file's content is part of the fingerprint, wherever it lies; that there is a
// registry is, and not where.
func TestSchemaIsPartOfTheFingerprint(t *testing.T) {
	of := func(input string) string {
		c, _, err := config.Parse(config.Source{Kinds: models.Kinds(), File: "c.yaml"}, []byte("input: "+input+"\n"+saleModels))
		if err != nil {
			t.Fatal(err)
		}
		rules, err := connect.NewRules(c)
		if err != nil {
			t.Fatal(err)
		}
		return rules.Config()
	}
	avroFile := func(text string) string {
		return of(fmt.Sprintf("{format: avro, schema: {file: %q}}", file(t, "s.avsc", text)))
	}
	a, b, c := avroFile(saleAvro), avroFile(saleAvro), avroFile(strings.Replace(saleAvro, `"name":"tags"`, `"name":"tag"`, 1))
	if a != b || a == c {
		t.Error(a, b, c)
	}
	x, y, z := of("{format: avro, schema: {registry: 'http://a:1'}}"), of("{format: avro, schema: {registry: 'https://b:2'}}"), of("{format: protobuf, schema: {registry: 'http://a:1'}}")
	if x != y || x == z || x == a {
		t.Error(x, y, z)
	}
	p, q := of(fmt.Sprintf("{format: protobuf, schema: {file: %q, message: shop.Other.Sale}}", file(t, "s.proto", saleProto))),
		of(fmt.Sprintf("{format: protobuf, schema: {file: %q, message: shop.Customer}}", file(t, "s.proto", saleProto)))
	if p == q || of("{format: json}") == of("{format: json, schema: {registry: 'http://a:1'}}") {
		t.Error(p, q)
	}
	dir := t.TempDir()
	imports := func(text string) string {
		for name, content := range map[string]string{"a.proto": `syntax = "proto3"; import "b.proto"; message A { B b = 1; double y = 2; }`, "b.proto": text} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return of(fmt.Sprintf("{format: protobuf, schema: {file: %q, message: A}}", filepath.Join(dir, "a.proto")))
	}
	if imports(`syntax = "proto3"; message B { int32 x = 1; }`) == imports(`syntax = "proto3"; message B { int64 x = 1; }`) {
		t.Error("another file is imported, and nothing says so")
	}
}

// What a draft names is asked for, and what it drafts is run.
func TestInitFromSchemas(t *testing.T) {
	registry := fakeRegistry(t)
	w := newWorldOf(t, "format: json, input: sold", fmt.Sprintf("input: {format: avro, schema: {registry: %q}}\n", registry.URL())+saleModels)
	plain := avro.MustParse(saleAvro)
	var values []string
	for _, s := range sales(60) {
		values = append(values, headed(1, "", s.avro(t, plain, false)))
	}
	w.put("k", values)
	code, out, messages := command(t, "init", "--topic", "sold", "--brokers", w.env.Brokers()[0], "--input-format", "avro", "--set", "input.schema.registry="+registry.URL(), "--response", "y")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, messages)
	}
	for _, want := range []string{"input: {format: avro, schema: {registry: ", "events in avro of topic sold", "customer.region", "tags: type array is not read"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// check says of the file of a schema which columns of the models it lacks.
func TestCheckComparesTheSchemaWithTheModels(t *testing.T) {
	w := newWorldOf(t, "format: json", fmt.Sprintf("input: {format: avro, schema: {file: %q}}\n", file(t, "s.avsc", strings.Replace(saleAvro, `"price"`, `"cost"`, 1)))+saleModels)
	code, out, _ := w.consumer("check")
	if code == 0 || !strings.Contains(out, `column "price" is no field of the rows in`) || strings.Contains(out, `"customer.region" is no field`) {
		t.Errorf("exit %d\n%s", code, out)
	}
}
