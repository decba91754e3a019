package web

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// The rows that the feed keeps, as JSON and as Arrow.
func TestObserved(t *testing.T) {
	s := newServer(t, nil)
	const path = "/v1/models/flights%2FATL/observed"
	s.options.Feed.State(shardsOf, pipeline.State{Phase: pipeline.PhaseRunning})
	if status, _, body := ask(s, "GET", path); status != 200 || body != `{"key":"flights/ATL","owned":true,"rows":[]}`+"\n" {
		t.Errorf("before a shard: %d %s", status, body)
	}
	nan := math.NaN()
	s.options.Feed.Saved(shardsOf, []*pipeline.Point{{
		Key: "flights/ATL", Kind: "linear", Partition: 1, Offset: 9, Time: 978307200000, T: 2, Published: true, Score: cdf.NoScore(),
		Observed: []cdf.Observed{
			{Row: 0, Y: 1.5, Mean: 1, Q: [6]float64{-1, 0, .5, 1.5, 2, 3}, PIT: .75},
			{Row: 3, Y: 99, Mean: 1, Q: [6]float64{-1, nan, nan, nan, nan, 3}, PIT: 1},
		},
		Given: pipeline.Given{Names: []string{"distance", "carrier"}, Numbers: []float64{110, nan, nan, nan}, Labels: []string{"", "AA", "", "DL\""}},
	}})
	status, _, body := ask(s, "GET", path)
	const want = `{"key":"flights/ATL","owned":true,"rows":[` +
		`{"t":2,"offset":9,"time":"2001-01-01T00:00:00.000Z","row":0,"observed":1.5,"mean":1,"q2.5":-1,"q10":0,"q25":0.5,"q75":1.5,"q90":2,"q97.5":3,"pit":0.75,"outlier":false,"inputs":{"distance":110,"carrier":"AA"}},` +
		`{"t":2,"offset":9,"time":"2001-01-01T00:00:00.000Z","row":3,"observed":99,"mean":1,"q2.5":-1,"q10":null,"q25":null,"q75":null,"q90":null,"q97.5":3,"pit":1,"outlier":true,"inputs":{"distance":null,"carrier":"DL\""}}]}` + "\n"
	if status != 200 || body != want {
		t.Errorf("%d %s\nwant %s", status, body, want)
	}
	var one struct{ Rows []struct{ Row int } }
	_, _, body = ask(s, "GET", "/v1/model/observed?key=flights%2FATL&limit=1")
	if err := json.Unmarshal([]byte(body), &one); err != nil || len(one.Rows) != 1 || one.Rows[0].Row != 3 {
		t.Errorf("the newest: %v %s", err, body)
	}
	status, h, stream := ask(s, "GET", path, "Accept", arrowType)
	b, err := arrow.NewDecoder(arrow.Limits{}).Decode([]byte(stream))
	if status != 200 || h.Get("Content-Type") != arrowType || err != nil || b.Rows != 2 || b.Columns[4].Name != "observed" || b.Columns[4].Number[1] != 99 {
		t.Errorf("Arrow: %d %v", status, err)
	} else if last := b.Columns[len(b.Columns)-1]; last.Name != "outlier" || last.Type != cdf.Bool || last.Number[0] != 0 || last.Number[1] != 1 {
		t.Errorf("Arrow: %+v, want who is an outlier", last)
	}
	for query, want := range map[string]int{"?limit=0": 400, "?limit=1001": 400, "?variables=x": 400} {
		if status, _, body := ask(s, "GET", path+query); status != want {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
	if status, _, _ := ask(s, "GET", "/v1/models/nobody/observed"); status != 404 {
		t.Errorf("a key without a model: %d", status)
	}
}
