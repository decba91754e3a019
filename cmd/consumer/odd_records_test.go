package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/twmb/franz-go/pkg/kgo"
)

// oddModels give column v a role each; the first part of a key says which.
const oddModels = `models:
  - {match: "number/**", kind: linear, columns: {response: y, features: [v]}}
  - {match: "response/**", kind: linear, columns: {response: v, features: [y]}}
  - {match: "first/**", kind: linear, columns: {response: y, features: [{name: v, levels: first}]}}
  - {match: "listed/**", kind: linear, columns: {response: y, features: [{name: v, levels: [a, b], baseline: a}]}}
  - {match: "group/**", kind: anova, columns: {response: y, group: v}}
  - {match: "exposure/**", kind: poisson, columns: {response: y, exposure: v, features: []}}
  - {match: "step/**", kind: dlm, columns: {response: y, time: v}}
  - {match: "none/**", kind: linear, columns: {response: y, features: []}}
  - {match: "hours/**", kind: linear, forget: 0.5, forget_per: 1h, columns: {response: y, features: []}}`

// oddColumns are columns v of four rows by role, and what becomes of their shard: a dead letter of a
// stage whose reason says this, or rows that are learnt from.
var oddColumns = []struct {
	key    string
	typ    arrow.DataType
	values string
	rows   int
	letter string // stage and reason
}{
	{"number/int64", arrow.PrimitiveTypes.Int64, "1, -2, null, 4", 3, ""},
	{"number/uint64 above int64", arrow.PrimitiveTypes.Uint64, "1, 18446744073709551615, 3, 4", 4, ""},
	{"number/float16", arrow.FixedWidthTypes.Float16, "1, 2, null, 0.5", 3, ""},
	{"number/bool", arrow.FixedWidthTypes.Boolean, "true, false, null, true", 3, ""},
	{"number/denormal", arrow.PrimitiveTypes.Float64, "5e-324, 0, -0, 2e-308", 4, ""},
	{"number/1e308", arrow.PrimitiveTypes.Float64, "1e308, -1e308, 0, 1e308", 0, `numeric: no finite centre and scale`},
	{"number/nothing", arrow.Null, "null, null, null, null", 0, ""},
	{"number/text", arrow.BinaryTypes.String, `"1", "2", "3", "4"`, 0, `schema: feature column "v" holds text`},
	{"number/decimal", &arrow.Decimal128Type{Precision: 4, Scale: 1}, `"1.5", "2", "3", "4"`, 0, `schema: feature column "v" has type decimal128, which is not read`},
	{"number/duration", arrow.FixedWidthTypes.Duration_s, "1, 2, 3, 4", 0, `schema: feature column "v" has type duration, which is not read`},
	{"number/time of day", arrow.FixedWidthTypes.Time32s, `"00:00:01", "00:00:02", "00:00:03", "00:00:04"`, 0, `schema: feature column "v" has type time, which is not read`},
	{"number/list", arrow.ListOf(arrow.PrimitiveTypes.Int8), "[1], [2], [3], null", 0, `schema: feature column "v" has type list, which is not read`},
	{"number/struct", arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int8}), `{"a":1}, {"a":2}, {"a":3}, null`, 0, `schema: has type struct, which is not read`},
	{"number/bytes", arrow.BinaryTypes.Binary, `"YQ==", "YQ==", "YQ==", null`, 0, `schema: has type binary, which is not read`},
	{"none/list beside", arrow.ListOf(arrow.PrimitiveTypes.Int8), "[1], [2], [3], null", 4, ""},
	{"none/text beside", arrow.BinaryTypes.String, `"1", "2", "3", null`, 4, ""},
	{"response/nothing", arrow.Null, "null, null, null, null", 0, ""},
	{"response/date", arrow.FixedWidthTypes.Date32, `"2024-01-01", "2024-01-02", "2024-01-03", null`, 3, ""},
	{"first/text", arrow.BinaryTypes.String, `"b", "a", "", null`, 3, ""},
	{"first/bool", arrow.FixedWidthTypes.Boolean, "true, false, null, true", 3, ""},
	{"first/nothing", arrow.Null, "null, null, null, null", 0, `schema: column "v" has no levels`},
	{"first/float", arrow.PrimitiveTypes.Float64, "1, 2, 3, 4", 0, `schema: feature column "v" holds numbers with fractions; labels are text, integers below 2^63`},
	{"listed/nothing", arrow.Null, "null, null, null, null", 0, ""},
	{"listed/no float", arrow.PrimitiveTypes.Float64, "null, null, null, null", 0, ""},
	{"group/nothing", arrow.Null, "null, null, null, null", 0, ""},
	{"group/int64 above 2^53", arrow.PrimitiveTypes.Int64, "9007199254740992, 9007199254740993, 1, 1", 4, ""},
	{"group/uint64 above int64", arrow.PrimitiveTypes.Uint64, "1, 18446744073709551615, 3, 4", 0, `schema: group column "v" holds numbers with fractions; labels are text, integers below 2^63`},
	{"group/seconds that are nanoseconds", arrow.FixedWidthTypes.Timestamp_s, "1704067200000000000, 1704067200000000001, 3, 4", 0, `check: column "v" has a time without a date in row 1`},
	{"group/date32 at its end", arrow.FixedWidthTypes.Date32, `2147483647, 1, 2, 3`, 0, `check: column "v" has a time without a date in row 1`},
	{"step/nothing", arrow.Null, "null, null, null, null", 0, ""},
	{"step/dates", arrow.FixedWidthTypes.Date32, `"2024-01-01", "2024-01-01", "2024-01-03", null`, 3, ""},
	{"step/time of day", arrow.FixedWidthTypes.Timestamp_s, "1, 2, 3, 4", 0, `check: time column "v" has a time of day in row 1`},
	{"step/backwards", arrow.PrimitiveTypes.Int64, "1, 2, 1, 4", 0, `check: time goes backwards`},
	{"step/float", arrow.PrimitiveTypes.Float64, "1, 2, 3, 4", 0, `schema: time column "v" holds numbers with fractions; steps are integers below 2^63 or dates`},
	{"exposure/nothing", arrow.Null, "null, null, null, null", 0, ""},
	{"exposure/zero", arrow.PrimitiveTypes.Int8, "1, 0, 1, 1", 0, `check: exposure column "v" is not positive in row 2`},
}

// oddShard is a shard of v and of y, counts.
func oddShard(t *testing.T, typ arrow.DataType, values string) []byte {
	t.Helper()
	v, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader("["+values+"]"), array.WithUseNumber())
	if err != nil {
		t.Fatalf("%s: %v", values, err)
	}
	y, _, err := array.FromJSON(memory.DefaultAllocator, arrow.PrimitiveTypes.Float64, strings.NewReader("[1, 3, 2, 6]"))
	if err != nil {
		t.Fatal(err)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "v", Type: typ, Nullable: true}, {Name: "y", Type: y.DataType()}}, nil)
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := w.Write(array.NewRecord(schema, []arrow.Array{v, y}, 4)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestOddRecords: every record is learnt from or becomes a dead letter that says why, none halts its
// partition, and what was learnt is what the log says.
func TestOddRecords(t *testing.T) {
	w := newWorldOf(t, "format: json", oddModels)
	c := w.config()
	if err := w.connect(c).CreateTopics(w.Context(), c); err != nil {
		t.Fatal(err)
	}
	plain := oddShard(t, arrow.PrimitiveTypes.Int8, "1, 2, 3, 4")
	header := func(all ...string) (list []kgo.RecordHeader) {
		for i := 0; i < len(all); i += 2 {
			list = append(list, kgo.RecordHeader{Key: all[i], Value: []byte(all[i+1])})
		}
		return list
	}
	for _, r := range []kgo.Record{
		{Key: []byte("hours/no time"), Timestamp: time.UnixMilli(-1)},
		{Key: []byte("hours/before 1970"), Timestamp: time.UnixMilli(-86_400_000)},
		{Key: []byte("hours/the year 10000"), Timestamp: time.UnixMilli(253_402_300_800_000)},
		{Key: []byte("none/last header counts"), Headers: header("credence-shard", "r/2", "credence-shard", "r/1")},
		{Key: []byte("none/last header counts"), Headers: header("credence-shard", "r/1", "credence-shard", "r/2")},
		{Key: []byte("none/repeat"), Headers: header("credence-shard", "r/1")},
		{Key: []byte("none/repeat"), Headers: header("credence-shard", "r/1")},
		{Key: []byte("none/no run"), Headers: header("credence-shard", "/1", "credence-shard", "r/-1")},
		{Key: []byte("none/no run"), Headers: header("credence-shard", "r/18446744073709551616")},
		{Key: []byte("none/no trace"), Headers: header("traceparent", "00-\xff-1", "tracestate", strings.Repeat("a=b,", 1000), "", "", "ce_id", "7")},
	} {
		r.Topic, r.Value = "shards", plain
		w.records(r)
	}
	for _, o := range oddColumns {
		w.records(kgo.Record{Topic: "shards", Key: []byte(o.key), Value: oddShard(t, o.typ, o.values)})
	}
	want, letters := map[string]string{ // shards and rows by key
		"hours/no time": "1 4", "hours/before 1970": "1 4", "hours/the year 10000": "1 4", "none/last header counts": "2 8",
		"none/repeat": "1 4", "none/no run": "2 8", "none/no trace": "1 4",
	}, map[string]string{}
	for _, o := range oddColumns {
		if o.letter == "" {
			want[o.key] = fmt.Sprint(1, o.rows)
		} else {
			letters[o.key] = o.letter
		}
	}
	w.must("run", "--until-end")
	table := func(args ...string) (lines []map[string]string) {
		out, _ := w.must(append(args, "--format", "csv")...)
		all, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range all[1:] {
			m := map[string]string{}
			for i, name := range all[0] {
				m[name] = line[i]
			}
			lines = append(lines, m)
		}
		return lines
	}
	for _, m := range table("state", "list") {
		if got := m["t"] + " " + m["n"]; got != want[m["key"]] {
			t.Errorf("%s: t and n are %s, want %q", m["key"], got, want[m["key"]])
		}
		delete(want, m["key"])
	}
	for _, m := range table("dead-letters", "list") {
		stage, reason, _ := strings.Cut(letters[m["key"]], ": ")
		if m["stage"] != stage || !strings.Contains(m["reason"], reason) || !strings.HasPrefix(m["source"], "shards/") {
			t.Errorf("%s: %s: %s", m["key"], m["stage"], m["reason"])
		}
		delete(letters, m["key"])
	}
	if len(want)+len(letters) > 0 {
		t.Errorf("no state of %v, no letter of %v", want, letters)
	}
	for _, r := range w.read("posteriors") {
		at, _ := r.Header("ce_time")
		if _, err := time.Parse(time.RFC3339, string(at)); err != nil {
			t.Errorf("%s: %v", r.Key, err)
		}
		if _, traced := r.Header("traceparent"); traced {
			t.Errorf("%s: the trace was passed on", r.Key)
		}
	}
	if _, messages := w.must("verify"); !strings.Contains(messages, "0 differ") {
		t.Error(messages)
	}
}
