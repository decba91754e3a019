package models

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// law is a mixture of normal laws.
type law struct{ w, mean, sd []float64 }

func phi(z float64) float64 { return .5 * math.Erfc(-z/math.Sqrt2) }

func (l *law) cdf(v float64) (sum float64) {
	for i, w := range l.w {
		switch {
		case l.sd[i] > 0:
			sum += w * phi((v-l.mean[i])/l.sd[i])
		case v >= l.mean[i]:
			sum += w
		}
	}
	return sum
}

func (l *law) logDensity(v float64) float64 {
	top, sum := math.Inf(-1), 0.
	logs := make([]float64, len(l.w))
	for i, w := range l.w {
		z := (v - l.mean[i]) / l.sd[i]
		logs[i] = math.Log(w) - z*z/2 - math.Log(l.sd[i]*math.Sqrt(2*math.Pi))
		top = max(top, logs[i])
	}
	for _, v := range logs {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

func (l *law) moments() (mean, sd float64) {
	for i, w := range l.w {
		mean += w * l.mean[i]
	}
	for i, w := range l.w {
		sd += w * (l.sd[i]*l.sd[i] + (l.mean[i]-mean)*(l.mean[i]-mean))
	}
	return mean, math.Sqrt(sd)
}

func (l *law) quantile(p float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range l.w {
		if l.w[i] > 1e-12 {
			lo, hi = min(lo, l.mean[i]-9*l.sd[i]), max(hi, l.mean[i]+9*l.sd[i])
		}
	}
	for range 80 {
		if mid := lo/2 + hi/2; l.cdf(mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo/2 + hi/2
}

// rowLevels are those of the published quantiles of a row.
var rowLevels = []float64{.5, .025, .05, .25, .75, .95, .975}

func quantilesOf(r *cdf.Row) []float64 {
	return []float64{r.Median, r.Q025, r.Q05, r.Q25, r.Q75, r.Q95, r.Q975}
}

// rowIs compares a published row with its law, within so many sds (of the middle half where there is none).
func rowIs(r *cdf.Row, l *law, within float64, moments bool) error {
	spread := (l.quantile(.75) - l.quantile(.25)) / 1.35
	if spread == 0 {
		spread = math.Abs(l.mean[0]) + 1e-300
	}
	if moments {
		mean, sd := l.moments()
		if !(math.Abs(r.Mean-mean) <= within*spread && math.Abs(r.SD-sd) <= within*sd) {
			return fmt.Errorf("%s has mean %v and sd %v, by hand %v and %v (%.2g, %.2g)", r.Variable, r.Mean, r.SD, mean, sd, (r.Mean-mean)/spread, r.SD/sd-1)
		}
	}
	for i, q := range quantilesOf(r) {
		if p := l.cdf(q); !(math.Abs(p-rowLevels[i]) <= within) {
			return fmt.Errorf("%s has quantile %v at %v, where by hand it is %v, %v", r.Variable, rowLevels[i], q, l.quantile(rowLevels[i]), p)
		}
	}
	return nil
}

// handSeeds runs keys of the kind: n of them, or CREDENCE_SPECS, from CREDENCE_FROM on.
func handSeeds(t *testing.T, n int, key func(seed uint64) (about string, err error)) {
	t.Helper()
	if testing.Short() {
		n /= 4
	}
	from := 0
	for name, to := range map[string]*int{"CREDENCE_SPECS": &n, "CREDENCE_FROM": &from} {
		if v := os.Getenv(name); v != "" {
			var err error
			if *to, err = strconv.Atoi(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	failed := 0
	for seed := from; seed < from+n; seed++ {
		if about, err := key(uint64(seed)); err != nil {
			t.Errorf("seed %d: %s\n\t%v", seed, about, err)
			if failed++; failed > 20 {
				t.Fatal("and so on")
			}
		}
	}
}

// predictionIs compares a prediction of a row with a response, within so many sds.
func predictionIs(p *cdf.Prediction, law, expected *law, y, within float64, heavy bool) error {
	mean, sd := law.moments()
	_, epredSD := expected.moments()
	spread := (law.quantile(.75) - law.quantile(.25)) / 1.35
	if !(math.Abs(p.Mean-mean) <= within*spread+4e-15*math.Abs(mean) && (math.IsNaN(p.SD) || heavy || math.Abs(p.SD-sd) <= within*sd) && (heavy || math.Abs(p.EpredSD-epredSD) <= within*epredSD+1e-12*spread)) {
		return fmt.Errorf("a row is predicted with mean %v, sd %v and %v of the expectation, by hand %v, %v and %v", p.Mean, p.SD, p.EpredSD, mean, sd, epredSD)
	}
	for i, q := range []float64{p.Q025, p.Q975, p.EpredQ025, p.EpredQ975} {
		level, of := []float64{.025, .975}[i%2], law
		if i > 1 {
			if of = expected; epredSD < 1e-9*spread {
				continue
			}
		}
		if at := of.cdf(q); !(math.Abs(at-level) <= within) {
			return fmt.Errorf("a row is predicted with quantile %v (%d) at %v, where by hand it is %v; by hand it is at %v", level, i, q, at, of.quantile(level))
		}
	}
	if !math.IsNaN(y) {
		if want := law.logDensity(y); !(math.Abs(p.LogDensity-want) <= handFar(within, math.Abs(y-mean)/spread)*max(10, math.Abs(want))) {
			return fmt.Errorf("a row has log density %v, by hand %v", p.LogDensity, want)
		}
		if want := law.cdf(y); !(math.Abs(p.PIT-want) <= within) {
			return fmt.Errorf("a row has transform %v, by hand %v", p.PIT, want)
		}
	}
	return nil
}
