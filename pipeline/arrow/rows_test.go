package arrow

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

// closed makes p a closed form: without diagnostics, its means without error.
func closed(p *pipeline.Posterior) *pipeline.Posterior {
	for i := range p.Summary.Rows {
		r := &p.Summary.Rows[i]
		r.MCSEMean, r.ESSBulk, r.ESSTail, r.RHat = 0, math.NaN(), math.NaN(), math.NaN()
	}
	return p
}

func encoded(t testing.TB, p *pipeline.Posterior) []byte {
	t.Helper()
	value, err := NewEncoder().Append(nil, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// What columns have in common is written once, and every reader finds it in
// each of them.
func TestColumnsWithoutNumbersShareTheirBuffers(t *testing.T) {
	const n = 50
	p := posterior(n)
	for i := range p.Summary.Rows {
		r := &p.Summary.Rows[i]
		r.ESSBulk, r.ESSTail, r.RHat = 400, 300, 1
	}
	whole := len(encoded(t, p))
	value := encoded(t, closed(p))
	if got, want := whole-len(value), 3*8*n-padded((n+7)/8); got != want {
		t.Errorf("a closed form has %d bytes less, want %d", got, want)
	}
	r, err := ipc.NewReader(bytes.NewReader(value))
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	for c, name := range numberNames {
		column := r.Record().Column(c + 1).(*array.Float64)
		for i := range p.Summary.Rows {
			v := numbers(&p.Summary.Rows[i])[c]
			if column.IsNull(i) != !jsontext.Defined(v) || column.IsValid(i) && column.Value(i) != v {
				t.Fatalf("%s of row %d is %v (null %t), want %v", name, i, column.Value(i), column.IsNull(i), v)
			}
		}
	}
	// All of it reads back, though it is much more as columns than as bytes.
	p = posterior(60_000)
	for i := range p.Summary.Rows {
		p.Summary.Rows[i] = cdf.Row{Variable: "b"}
	}
	if got, _, err := DecodePosterior(encoded(t, p)); err != nil || len(got.Summary.Rows) != 60_000 || got.Summary.Rows[59_999] != p.Summary.Rows[0] {
		t.Errorf("60,000 rows of zeros: %v", err)
	}
}

// A negative zero is a number like others.
func TestNegativeZeroReadsBack(t *testing.T) {
	p := posterior(3)
	for i := range p.Summary.Rows {
		p.Summary.Rows[i].Mean = math.Copysign(0, -1)
	}
	got, _, err := DecodePosterior(encoded(t, p))
	if err != nil || !math.Signbit(got.Summary.Rows[2].Mean) {
		t.Errorf("mean %v, %v", got.Summary.Rows[2].Mean, err)
	}
}

// The number of rows that fit is known without writing them, whatever columns
// share.
func TestRowsThatFit(t *testing.T) {
	e := NewEncoder()
	rng := rand.New(rand.NewPCG(5, 1))
	for round := range 200 {
		rows := posterior(1 + rng.IntN(40)).Summary.Rows
		for i := range rows {
			for _, v := range rows[i].Numbers() {
				switch rng.IntN(6) * (round % 2) {
				case 1:
					*v = 0
				case 2:
					*v = math.Inf(1)
				}
			}
			rows[i].ESSTail, rows[i].MCSEMean = math.NaN(), 0
		}
		size := make([]int, len(rows)+1)
		for n := range size {
			var w builder
			e.rows(&w, rows[:n])
			w.finish()
			size[n] = len(w.b)
			if n > 0 && size[n] < size[n-1] {
				t.Fatalf("%d rows take %d bytes, one less %d", n, size[n], size[n-1])
			}
		}
		for n := 1; n < len(size); n++ {
			if got := e.fit(rows[:n], size[n]); got != n {
				t.Fatalf("%d of %d rows fit into their %d bytes", got, n, size[n])
			}
			if got := e.fit(rows, size[n]-1); size[min(got, len(rows))] >= size[n] || size[got+1] < size[n] {
				t.Fatalf("%d of %d rows fit into %d bytes: those take %d, one more %d", got, len(rows), size[n]-1, size[got], size[got+1])
			}
		}
	}
}

// typical is a posterior as most are: linear, p = 5, well after its first rows.
func typical() *pipeline.Posterior {
	p := closed(posterior(7))
	s := p.Summary
	s.T, s.N, s.NEff, s.Draws = 1234, 12340, 12340, 0
	s.Score = cdf.Score{Rows: 10, LogDensity: -14.120951483921734, LogEvidence: -17482.204881746301, RMSE: 1.0139520813945719, Coverage95: .9}
	s.PriorDominated, s.WeakMixing, s.Flags = nil, nil, nil
	s.Scaling = nil
	for i, name := range []string{"y", "x1", "x2", "x3", "x4", "x5"} {
		s.Scaling = append(s.Scaling, cdf.Constant{Column: name, Center: .01318463215417 * float64(i+1), Scale: 1.0246813184618163})
	}
	p.Key, p.Offset, p.Settled = "key-00042", 123456, true
	return p
}

// The bytes are what they were measured to be: a change of the layout is seen.
func TestPosteriorIsSmall(t *testing.T) {
	const most = 3_150
	if n := len(encoded(t, typical())); n > most {
		t.Errorf("%d bytes, want at most %d", n, most)
	}
}
