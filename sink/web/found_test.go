package web

import (
	"math"
	"net/url"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// found is a point whose variables have these means, each with an sd of its own.
func found(key string, offset int64, means, sds []float64) *pipeline.Point {
	p := &pipeline.Point{
		Key: key, Kind: "linear", Partition: 1, Offset: offset, Time: 978307200000 + 1000*offset, T: 3, N: 30 + offset, Score: cdf.NoScore(), Published: true,
		Names: []string{"beta[intercept]", "beta[price]"}, Variables: 2,
	}
	for v := range means {
		numbers := make([]float64, len(cdf.RowColumns))
		numbers[slices.Index(cdf.RowColumns[:], "mean")], numbers[slices.Index(cdf.RowColumns[:], "sd")] = means[v], sds[v]
		p.Numbers = append(p.Numbers, numbers...)
	}
	return p
}

// Lists are sorted by the first variable that is no intercept, and narrowed by
// the time of the records.
func TestListSortedAndBetween(t *testing.T) {
	s := newServer(t, nil)
	s.options.Feed.State(shardsOf, pipeline.State{Phase: pipeline.PhaseRunning})
	flagged := found("b", 4, []float64{7, -5}, []float64{1, 1})
	flagged.Flagged = true
	s.options.Feed.Saved(shardsOf, []*pipeline.Point{
		found("c", 1, []float64{9, 1}, []float64{1, .125}), found("a", 2, []float64{8, 3}, []float64{1, 4}),
		found("d", 3, []float64{1, math.NaN()}, []float64{1, math.NaN()}), flagged,
	})
	for name, c := range map[string]struct {
		query url.Values
		want  []string
	}{
		"effect":               {url.Values{"sort": {"effect"}}, []string{"a", "c", "b", "d"}},
		"least first":          {url.Values{"sort": {"effect_asc"}}, []string{"b", "c", "a", "d"}},
		"certainty":            {url.Values{"sort": {"certainty"}}, []string{"c", "b", "a", "d"}},
		"flags":                {url.Values{"sort": {"flags"}}, []string{"b", "a", "c", "d"}},
		"newest":               {url.Values{"sort": {"newest"}}, []string{"b", "d", "a", "c"}},
		"rows":                 {url.Values{"sort": {"rows"}, "fields": {"key"}}, []string{"b", "d", "a", "c"}},
		"by a variable":        {url.Values{"sort": {"effect"}, "variables": {"beta[intercept]"}}, []string{"c", "a", "b", "d"}},
		"one page":             {url.Values{"sort": {"effect"}, "limit": {"2"}}, []string{"a", "c"}},
		"from":                 {url.Values{"from": {"2001-01-01T00:00:03Z"}}, []string{"b", "d"}},
		"to, in another zone":  {url.Values{"to": {"2001-01-01T01:00:02+01:00"}}, []string{"a", "c"}},
		"from after to":        {url.Values{"from": {"2001-01-02"}, "to": {"2001-01-01"}}, nil},
		"to 1970":              {url.Values{"from": {"2001-01-01"}, "to": {"1970-01-01"}}, nil},
		"flag between":         {url.Values{"flag": {"model"}, "from": {"2001-01-01"}}, []string{"b"}},
		"flag at another time": {url.Values{"flag": {"model"}, "to": {"2001-01-01T00:00:03Z"}}, nil},
		"of keys":              {url.Values{"key": {"d", "a", "b"}, "from": {"2001-01-01T00:00:03Z"}}, []string{"d", "b"}},
	} {
		a := listOf(t, s, c.query)
		var got []string
		for _, m := range a.Models {
			got = append(got, m.Key)
		}
		if !slices.Equal(got, c.want) || a.Next != nil {
			t.Errorf("%s: %q, next %v; want %q", name, got, a.Next, c.want)
		}
	}
	for _, query := range []string{"sort=best", "from=yesterday", "to=2001-01-01T00:00"} {
		if status, _, body := ask(s, "GET", "/v1/models?"+query); status != 400 || errorCode(body) != "bad_query" {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
	if status, _, body := ask(s, "GET", "/v1/models?sort=rows&after=a"); status != 422 || errorCode(body) != "unfit" {
		t.Errorf("an order and a page: %d %s", status, body)
	}
}
