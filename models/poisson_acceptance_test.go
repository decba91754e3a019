package models

import (
	"fmt"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
)

func newTestPoisson(t testing.TB, s PoissonSettings, columns []string, groups ...string) *Poisson {
	t.Helper()
	d := cdf.Dims{Columns: columns, Intercept: columns[0] == "intercept"}
	for _, g := range groups {
		d.Groups = append(d.Groups, cdf.Group{Column: g})
	}
	m, err := NewPoisson(s, d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// everything returns the functionals of all parameters in order.
func everything(m *poissonBase) []cdf.Functional {
	list := make([]cdf.Functional, m.k+m.stats.effects()+m.terms)
	for j := range list {
		list[j] = effect(j)
	}
	return list
}

// Rows P1: real data against long MCMC runs, the prior b ~ N(0, 10), s2 ~ IG(1, .1).
func TestAcceptancePoissonReference(t *testing.T) {
	settings := DefaultPoisson()
	settings.Prior.BetaVariance, settings.Prior.Group = 10, inverseGamma
	for _, set := range []struct {
		name    string
		columns []string
		limits  map[int]float64 // of |dz| of beta, per rows of a shard
	}{
		{"epil", []string{"lbase", "trt", "lage", "V4"}, map[int]float64{24: .15, 50: .10, 236: .03}},
		{"grouseticks", []string{"year96", "year97", "h"}, map[int]float64{24: .45, 50: .25, 403: .06}},
	} {
		d := readMixed(t, set.name, set.columns)
		for _, rows := range []int{24, 50, len(d.y)} {
			m := newTestPoisson(t, settings, d.columns, "g")
			s := stepper{model: m}
			for _, sh := range d.shards(rows) {
				s.must(t, sh, 1)
			}
			got := summarize(t, m, everything(&m.poissonBase))
			dz, sdLow, sdHigh := 0.0, math.Inf(1), 0.0
			for j, name := range d.columns {
				r := d.reference[name]
				dz = max(dz, math.Abs(got[j].Mean-r.mean)/r.sd)
				sdLow, sdHigh = min(sdLow, got[j].SD/r.sd), max(sdHigh, got[j].SD/r.sd)
			}
			uLow, uHigh, udz := math.Inf(1), 0.0, 0.0
			for g, label := range d.label {
				r := d.reference["u["+label+"]"]
				row := got[m.k+g]
				udz = max(udz, math.Abs(row.Mean-r.mean)/r.sd)
				uLow, uHigh = min(uLow, row.SD/r.sd), max(uHigh, row.SD/r.sd)
			}
			s2, r := got[len(got)-1], d.reference["tau2"]
			cut := fmt.Sprintf("%s by %d rows", set.name, rows)
			accept.Range(t, "P1", cut+": max |dz| of beta", dz, 0, set.limits[rows], "data")
			accept.Range(t, "P1", cut+": least sd ratio of beta", sdLow, .95, 1.05, "data")
			accept.Range(t, "P1", cut+": greatest sd ratio of beta", sdHigh, .95, 1.05, "data")
			accept.Range(t, "P1", cut+": dz of sigma2_u", (s2.Mean-r.mean)/r.sd, -.25, .25, "data")
			accept.Range(t, "P1", cut+": sd ratio of sigma2_u", s2.SD/r.sd, .88, 1.12, "data")
			t.Logf("%s: u max |dz| %.3f, sd ratio %.3f to %.3f", cut, udz, uLow, uHigh)
			if set.name == "epil" {
				accept.Range(t, "P1", cut+": least sd ratio of u", uLow, .92, 1.08, "data")
				accept.Range(t, "P1", cut+": greatest sd ratio of u", uHigh, .92, 1.08, "data")
			}
		}
	}
}
