package web

import (
	"encoding/json"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// Windows are there where they are asked for, and are the feed's.
func TestCalibrationWindows(t *testing.T) {
	s := newServer(t, nil)
	s.options.Feed.State(shardsOf, pipeline.State{Phase: pipeline.PhaseRunning})
	for i := range int64(6) {
		score := cdf.NoScore()
		score.Rows, score.PIT[i] = 3, 3
		s.options.Feed.Saved(shardsOf, []*pipeline.Point{{
			Key: "flights/ATL", Kind: "linear", Partition: 1, Offset: i, Time: 978307200000 + i, T: i + 1, Published: true, Score: score,
		}})
	}
	const path = "/v1/models/flights%2FATL/calibration"
	var a struct {
		Rows    int64
		Windows []struct {
			From, To, Rows, Shards int64
			FromTime               string `json:"from_time"`
			PIT                    []int64
			Coverage               []struct{ Nominal, Share float64 }
		}
	}
	_, _, body := ask(s, "GET", path+"?windows=2")
	if err := json.Unmarshal([]byte(body), &a); err != nil || a.Rows != 18 || len(a.Windows) != 2 {
		t.Fatalf("%v %s", err, body)
	}
	w := a.Windows[1]
	if w.From != 4 || w.To != 6 || w.Rows != 9 || w.Shards != 3 || w.FromTime != "2001-01-01T00:00:00.003Z" || w.PIT[3] != 3 || w.PIT[0] != 0 || w.Coverage[3].Share != 1 {
		t.Errorf("%+v", w)
	}
	if _, _, body := ask(s, "GET", path); decode(t, body)["windows"] != nil {
		t.Errorf("nobody asked for windows: %s", body)
	}
	for _, n := range []string{"0", "101", "x"} {
		if status, _, body := ask(s, "GET", path+"?windows="+n); status != 400 {
			t.Errorf("%s windows: %d %s", n, status, body)
		}
	}
}
