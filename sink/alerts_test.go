package sink

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/alert"
	"github.com/credence-stream/credence/pipeline/arrow"
)

func anAlert() *pipeline.Alert {
	states, events := alert.Step(nil, []quantity.Alert{{Name: "up", When: `P("x" > 0) > .9`, Bound: .9, Clear: .8, For: 1}}, []float64{.95})
	_ = states
	return &pipeline.Alert{Key: "k\n", Kind: "linear", Variant: "corrected", Config: "0123456789abcdef", T: 3,
		Source: pipeline.Partition{Topic: "in", ID: 1}, Offset: 7, Time: 1e12, Event: events[0]}
}

func TestRecordOfAnAlert(t *testing.T) {
	topic := Topic{Group: "g", Output: "out", Encoder: JSON{}}
	o, err := topic.Alert(nil, anAlert(), Trace{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"key":"k\n","kind":"linear","variant":"corrected","t":3,"config":"0123456789abcdef","source":{"topic":"in","partition":1,"offset":7},` +
		`"time":"2001-09-09T01:46:40.000Z","alert":"up","event":"raised","when":"P(\"x\" > 0) > .9","value":0.95,"bound":0.9,"clear_below":0.8,"for":1}`
	if string(o.Value) != want || o.Topic != "out.alerts" || o.Offset != 7 || string(o.Key) != "k\n" {
		t.Errorf("%s\n%s", o.Topic, o.Value)
	}
	if h := headers(o); !strings.Contains(h, "ce_id=7/alerts/up") || !strings.Contains(h, "ce_source=/g/in/1") {
		t.Error(h)
	}
	again, err := topic.Alert(nil, anAlert(), Trace{})
	if err != nil || string(again.Value) != string(o.Value) || headers(again) != headers(o) {
		t.Error("a repeat differs")
	}
	gone := anAlert()
	gone.Event = alert.Withdraw([]alert.State{{Name: "up", Raised: true}}, alert.Deleted)[0]
	b, _ := JSON{}.AppendAlert(nil, gone)
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil || v["value"] != nil || v["event"] != "cleared" || v["withdrawn"] != alert.Deleted {
		t.Errorf("%s: %v", b, err)
	}
}

func TestAnAlertInArrow(t *testing.T) {
	b, err := arrow.NewEncoder().AppendAlert(nil, anAlert())
	if err != nil {
		t.Fatal(err)
	}
	batch, err := arrow.NewDecoder(arrow.Limits{}).Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"up", "raised", `P("x" > 0) > .9`} {
		if got, _ := batch.Columns[i].Label(0); got != want {
			t.Errorf("%s is %q, want %q", batch.Columns[i].Name, got, want)
		}
	}
	for i, want := range map[int]float64{3: .95, 4: .9, 5: .8} {
		if got := batch.Columns[i].Number[0]; math.Abs(got-want) > 0 {
			t.Errorf("%s is %v, want %v", batch.Columns[i].Name, got, want)
		}
	}
}
