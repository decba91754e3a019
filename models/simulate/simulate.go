// Package simulate holds the data-generating processes of the models: the
// producer's scenarios, the paper's experiments and the tests share them.
//
// A scenario is a deterministic function of (seed, key, t): shards can be
// made in any order and by any number of processes.
package simulate

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Truth is one parameter that the data were made with, under the name that a
// posterior gives it.
type Truth struct {
	Variable string
	Value    float64
}

// Scenario is one data-generating process.
type Scenario struct {
	Name string
	Kind string // of the model that the data are for
	Rows int    // per shard, where the caller does not say
	// Shard makes shard t, from 1, of a key. The slices are the caller's.
	Shard func(seed uint64, key string, t int64, rows int) Data
	// Truth returns the parameters behind shard t of a key.
	Truth func(seed uint64, key string, t int64) []Truth
}

// Lookup returns the scenario of the given name.
func Lookup(name string) (Scenario, bool) {
	all := scenarios()
	i := slices.IndexFunc(all, func(s Scenario) bool { return s.Name == name })
	if i < 0 {
		return Scenario{}, false
	}
	return all[i], true
}

// Names returns the names of all scenarios.
func Names() []string {
	var names []string
	for _, s := range scenarios() {
		names = append(names, s.Name)
	}
	return names
}

func scenarios() []Scenario {
	return append([]Scenario{
		linear(), linearDrift(),
		anova(), anovaJump(),
		dlm(), dlmDrift(),
		probit(), probitWide(), probitWide20(), probitLong(), probitDrift(),
		poisson(), poissonLate(),
	}, compressed()...)
}

// source returns the generator of one shard. The PCG is seeded through
// splitmix64, so that neighbouring shards have unrelated streams.
func source(seed uint64, key string, t int64) *rand.Rand {
	return rand.New(rand.NewPCG(newPlace(seed, key).seeds(t)))
}

// place is a seed and a key, mixed.
type place uint64

func newPlace(seed uint64, key string) place {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // a hash never fails
	return place(mix(seed ^ mix(h.Sum64())))
}

// seeds returns the seeds of the PCG of number t.
func (p place) seeds(t int64) (a, b uint64) { return uint64(p), mix(uint64(p) ^ mix(uint64(t))) }

// mix is the splitmix64 finaliser (Steele, Lea and Flood, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// features returns a shard of p columns x1, x2 and so on, still 0.
func features(p, rows int) (d Data) {
	for j := range p {
		d.Names = append(d.Names, "x"+strconv.Itoa(j+1))
		d.Columns = append(d.Columns, make([]float64, rows))
	}
	return d
}

// with returns the shard with a response.
func (d Data) with(y []float64) Data {
	d.Names, d.Columns = append(d.Names, "y"), append(d.Columns, y)
	return d
}

// appendTruths appends the values under the names param[prefix1], param[prefix2] and
// so on.
func appendTruths(dst []Truth, param, prefix string, values []float64) []Truth {
	for j, v := range values {
		dst = append(dst, Truth{param + "[" + prefix + strconv.Itoa(j+1) + "]", v})
	}
	return dst
}

// jumping returns coefficients whose first jumps from 1 after shard 250.
func jumping(to float64) func(t int64) []float64 {
	before := []float64{1, 0.5, 0.25, -1, 0.75}
	after := append([]float64{to}, before[1:]...)
	return func(t int64) []float64 {
		if t > 250 {
			return after
		}
		return before
	}
}
