package live_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/live"
)

var alarmKeys = flag.Int("alarm-keys", 3, "keys of each kind and size of shards by which false alarms are counted")

// source is data of one key that a kind is right about.
type source struct {
	kind, settings string
	roles          cdf.Roles
	// begin draws the key's parameters and returns what makes a row: its columns, the
	// response last.
	names []string
	begin func(r *rand.Rand) func() []float64
}

var numbers = []cdf.Feature{{Name: "x1"}, {Name: "x2"}}

func sources() map[string]source {
	linear := func(respond func(mean float64, r *rand.Rand) float64) func(r *rand.Rand) func() []float64 {
		return func(r *rand.Rand) func() []float64 {
			return func() []float64 {
				a, b := r.NormFloat64(), r.NormFloat64()
				return []float64{a, b, respond(1+a-b/2, r)}
			}
		}
	}
	columns := cdf.Roles{Scaling: "first", Features: numbers, Intercept: true}
	grouped := cdf.Roles{Scaling: "first", Groups: []cdf.Group{{Column: "g"}}}
	normal := func(mean float64, r *rand.Rand) float64 { return mean + r.NormFloat64() }
	return map[string]source{
		"linear":                {"linear", "", columns, []string{"x1", "x2", "y"}, linear(normal)},
		"linear, rounded":       {"linear", "", columns, []string{"x1", "x2", "y"}, linear(func(mean float64, r *rand.Rand) float64 { return math.Round(2*normal(mean, r)) / 2 })},
		"linear, whole numbers": {"linear", "", columns, []string{"x1", "x2", "y"}, linear(func(mean float64, r *rand.Rand) float64 { return math.Round(normal(mean, r)) })},
		"probit": {"probit", "{chains: 4, window: 100}", columns, []string{"x1", "x2", "y"}, linear(func(mean float64, r *rand.Rand) float64 {
			if mean-1.5+r.NormFloat64() > 0 {
				return 1
			}
			return 0
		})},
		"probit, rare": {"probit", "{chains: 4, window: 100}", columns, []string{"x1", "x2", "y"}, linear(func(mean float64, r *rand.Rand) float64 {
			if (mean-1)/2-2+r.NormFloat64() > 0 {
				return 1
			}
			return 0
		})},
		"poisson":       {"poisson", "", columns, []string{"x1", "x2", "y"}, linear(func(mean float64, r *rand.Rand) float64 { return simulate.Count(r, math.Exp(mean/2)) })},
		"poisson, rare": {"poisson", "", columns, []string{"x1", "x2", "y"}, linear(func(mean float64, r *rand.Rand) float64 { return simulate.Count(r, math.Exp(mean/4-3)) })},
		"anova": {"anova", "", grouped, []string{"g", "y"}, func(r *rand.Rand) func() []float64 {
			level := make([]float64, 5)
			for i := range level {
				level[i] = 3 + r.NormFloat64()
			}
			return func() []float64 {
				g := r.IntN(5)
				return []float64{float64(g), level[g] + r.NormFloat64()}
			}
		}},
		"dlm": {"dlm", "", cdf.Roles{Scaling: "first"}, []string{"y"}, func(r *rand.Rand) func() []float64 {
			level := r.NormFloat64() / math.Sqrt(1-.64)
			return func() []float64 {
				level = .8*level + r.NormFloat64()
				return []float64{10 + level + r.NormFloat64()}
			}
		}},
	}
}

// alarms returns, per flag, the share of the shards of keys after which it was up.
func (s source) alarms(t *testing.T, keys, shards int, rows func(shard int) int) map[string]float64 {
	k, _ := models.Lookup(s.kind)
	spec, err := k.Spec("", s.roles, strictyaml.Decode(s.settings))
	if err != nil {
		t.Fatal(err)
	}
	spec.Limits = cdf.Limits{}
	spec.Seal()
	up := map[string]float64{}
	var mu sync.Mutex
	var group sync.WaitGroup
	for worker := range 2 {
		group.Go(func() {
			for key := worker; key < keys; key += 2 {
				r := rand.New(rand.NewPCG(uint64(key), 83))
				row, name := s.begin(r), fmt.Sprint("key", key)
				f, feed := cdf.NewFilter(spec, name), live.New(1<<20)
				home := pipeline.Partition{Topic: "in"}
				feed.State(home, pipeline.State{Phase: pipeline.PhaseRunning})
				for shard := 1; shard <= shards; shard++ {
					b := &cdf.Batch{Rows: rows(shard), Time: int64(shard)}
					for j, name := range s.names {
						b.Columns = append(b.Columns, cdf.Column{Name: name, Type: cdf.Float})
						if name == "g" {
							b.Columns[j].Type = cdf.Integer
						}
					}
					for range b.Rows {
						for j, v := range row() {
							b.Columns[j].Number = append(b.Columns[j].Number, v)
							b.Columns[j].Int = append(b.Columns[j].Int, int64(v))
						}
					}
					sum, err := f.Update(b)
					if err != nil {
						t.Error(err)
						return
					}
					p := &pipeline.Point{
						Key: name, Kind: s.kind, Offset: int64(shard), T: sum.T, N: sum.N, Rows: int64(b.Rows), NEff: sum.NEff,
						Score: sum.Score, Published: true, Flagged: len(sum.Flags) > 0,
					}
					p.Score.PIT, p.Weight = f.Transforms(), f.RowWeight()
					feed.Saved(home, []*pipeline.Point{p})
					mu.Lock()
					for _, flag := range append(slices.Clone(sum.Flags), feed.Flags(name)...) {
						up[flag] += 1 / float64(keys*shards)
					}
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	return up
}

// Where the model is right a flag about its predictions is up after at most one of 1,000
// shards of each size, of any kind, with rounded responses, counts and classes too.
func TestFalseAlarmsOfCalibration(t *testing.T) {
	all := sources()
	for _, name := range sortedNames(all) {
		for size, rows := range map[string]func(int) int{
			"1 row": func(int) int { return 1 }, "5 rows": func(int) int { return 5 }, "30 rows": func(int) int { return 30 },
			"4 and 300": func(s int) int { return []int{300, 4}[s%2] },
		} {
			keys, shards := *alarmKeys, 60
			if all[name].kind == "probit" && keys < 20 {
				if size != "30 rows" {
					continue // chains take long
				}
				shards = 10
			}
			got := all[name].alarms(t, keys, shards, rows)
			var text []string
			for _, flag := range []string{"miscalibrated", "wide_intervals", live.PoorCalibration} {
				text = append(text, fmt.Sprintf("%s %.2g", flag, got[flag]))
				if got[flag] > 1e-3 {
					t.Errorf("%s, shards of %s: %s after %.2g of the shards", name, size, flag, got[flag])
				}
			}
			t.Logf("%s, shards of %s: %s", name, size, strings.Join(text, ", "))
		}
	}
}

func sortedNames(m map[string]source) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
