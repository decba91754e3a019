package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/sink"
)

// ofGroups is a shard with one row of each of the groups lo to hi-1.
func ofGroups(lo, hi int) *cdf.Batch {
	g, y := cdf.Column{Name: "g", Type: cdf.Text}, cdf.Column{Name: "y"}
	for i := lo; i < hi; i++ {
		g.Code, g.Levels = append(g.Code, int32(i-lo)), append(g.Levels, fmt.Sprintf("g%d", i))
		y.Number = append(y.Number, float64(i%7)+.1*float64(i%3))
	}
	return &cdf.Batch{Rows: hi - lo, Columns: []cdf.Column{g, y}}
}

// With more than 1,000 groups the topic gets those that a shard touched, and
// `consumer get` and HTTP answer with all, of a model that draws as of one
// that is a closed form; also with the variables that the topic does not get.
func TestAllGroupsAreThereToBeAsked(t *testing.T) {
	const groups = 1005
	w := newWorldOf(t, "format: json", `models:
  - {match: drawn, kind: anova, draws: 100, columns: {response: y, group: g}}
  - {match: paper, kind: anova, variant: paper, draws: 100, columns: {response: y, group: g}, publish: {variables: ["zeta[*]"]}}
  - {match: none, kind: anova, draws: 100, columns: {response: y, group: g}, publish: {groups: none}}
  - {match: closed, kind: poisson, columns: {response: y, group: g}}`)
	keys := []string{"drawn", "paper", "none", "closed"}
	whole := ofGroups(0, groups)
	for i := range whole.Columns[1].Number {
		whole.Columns[1].Number[i] = float64(i % 4) // counts, for poisson
	}
	last := ofGroups(3, 5)
	last.Columns[1].Number = []float64{2, 1}
	w.sendShards(keys, []*cdf.Batch{whole, last})
	if code, _, messages := w.consumer("run", "--until-end"); code != 0 {
		t.Fatalf("run: exit %d\n%s", code, messages)
	}
	topic := map[string]string{}
	for _, r := range w.read("posteriors") {
		topic[string(r.Key)] = string(r.Value)
	}
	p := w.serve(nil)
	url, stop := p.url+"/v1/models/", p.end
	defer stop()
	w.eventually("ready", func() bool { _, code := p.get(w, "/readyz"); return code == 200 })
	levels := func(name string) (all []string) {
		for i := range groups {
			all = append(all, fmt.Sprintf("%s[g%d]", name, i))
		}
		return all
	}
	for key, c := range map[string]struct{ published, all []string }{
		"drawn":  {[]string{"mu", "tau2", "sigma2", "zeta[g3]", "zeta[g4]"}, append([]string{"mu", "tau2", "sigma2"}, levels("zeta")...)},
		"paper":  {[]string{"zeta[g3]", "zeta[g4]"}, append([]string{"mu", "tau2", "sigma2"}, levels("zeta")...)},
		"none":   {[]string{"mu", "tau2", "sigma2"}, append([]string{"mu", "tau2", "sigma2"}, levels("zeta")...)},
		"closed": {[]string{"beta[intercept]", "u[g3]", "u[g4]", "sigma2_u"}, append(append([]string{"beta[intercept]"}, levels("u")...), "sigma2_u")},
	} {
		published := rowsNamed(t, topic[key])
		if got := namesOf(published); !slices.Equal(got, c.published) {
			t.Errorf("%s: the topic got %.200q, want %q", key, got, c.published)
		}
		code, out, messages := w.consumer("get", key, "--format", "json")
		if code != 0 {
			t.Fatalf("get %s: exit %d\n%s", key, code, messages)
		}
		for how, text := range map[string]string{"get": out, "http": page(t, url+key)} {
			rows := rowsNamed(t, text)
			if got := namesOf(rows); !slices.Equal(got, c.all) {
				t.Errorf("%s %s: %d variables %.200q, want %d", how, key, len(got), got, len(c.all))
			}
			for _, r := range rows {
				if !(r.Q025 < r.Median && r.Median < r.Q975) || !(r.SD > 0) && strings.HasPrefix(r.Variable, "zeta") {
					t.Errorf("%s %s: %+v", how, key, r)
				}
			}
			for _, r := range published {
				if i := slices.IndexFunc(rows, func(o cdf.Row) bool { return o.Variable == r.Variable }); i < 0 || fmt.Sprint(rows[i]) != fmt.Sprint(r) {
					t.Errorf("%s %s: what was published of %s is not what the store says", how, key, r.Variable)
				}
			}
		}
	}
}

func rowsNamed(t *testing.T, text string) []cdf.Row {
	t.Helper()
	p, omitted, err := sink.ParseJSON([]byte(strings.TrimSpace(text)))
	if err != nil || omitted != 0 || !json.Valid([]byte(text)) {
		t.Fatalf("%d omitted, %v: %.200s", omitted, err, text)
	}
	return p.Summary.Rows
}

func namesOf(rows []cdf.Row) (names []string) {
	for i := range rows {
		names = append(names, rows[i].Variable)
	}
	return names
}

// page returns what HTTP answers in JSON.
func page(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v\n%s", url, answer.Status, err, text)
	}
	return string(text)
}
