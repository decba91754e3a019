package models

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// ordinary returns shards of a regression on five features.
func ordinary(rows, shards int) []*cdf.Batch {
	const columns = 5
	r := rand.New(rand.NewPCG(1, 1))
	all := make([]*cdf.Batch, shards)
	for s := range all {
		b, y := &cdf.Batch{Rows: rows}, make([]float64, rows)
		for j := range columns {
			x := make([]float64, rows)
			for i := range x {
				x[i] = r.NormFloat64()
				y[i] += x[i] / 2
			}
			b.Columns = append(b.Columns, cdf.Column{Name: "x" + strconv.Itoa(j+1), Number: x})
		}
		for i := range y {
			y[i] += r.NormFloat64()
		}
		b.Columns = append(b.Columns, cdf.Column{Name: "y", Number: y})
		all[s] = b
	}
	return all
}

// fiveSpec is linear on five features, as the table of docs/performance.md has it.
func fiveSpec(t testing.TB) *cdf.Spec {
	t.Helper()
	k, ok := Lookup("linear")
	if !ok {
		t.Fatal("no kind is called linear")
	}
	spec, err := k.Spec("", cdf.Roles{Intercept: true}, strictyaml.Decode("{}"))
	if err != nil {
		t.Fatal(err)
	}
	spec.Seal()
	return spec
}

// five is a key of it.
func five(b *testing.B, seen ...*cdf.Batch) *cdf.Filter {
	f := cdf.NewFilter(fiveSpec(b), "key")
	for _, s := range seen {
		if _, err := f.Update(s); err != nil {
			b.Fatal(err)
		}
	}
	return f
}

// BenchmarkPath measures what a shard of a key costs between its decoded rows and
// its summary, and what its state costs.
func BenchmarkPath(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		shards := ordinary(n, 4)
		f, turn := five(b, ordinary(1000, 3)...), 0
		modeltest.Part(b, fmt.Sprintf("update/n=%d", n), func() {
			turn++
			if _, err := f.Update(shards[turn%len(shards)]); err != nil {
				b.Fatal(err)
			}
		})
	}
	f := five(b, ordinary(100, 60)...)
	snapshot, err := f.AppendBinary(nil)
	if err != nil {
		b.Fatal(err)
	}
	var dst []byte
	modeltest.Part(b, "summary", func() { _, _ = f.Summary() })
	modeltest.Part(b, "snapshot", func() { dst, _ = f.AppendBinary(dst[:0]) })
	modeltest.Part(b, "load", func() { _ = f.UnmarshalBinary(snapshot) })
	first, empty := ordinary(10, 60), five(b)
	none, err := empty.AppendBinary(nil)
	if err != nil {
		b.Fatal(err)
	}
	from := 0
	modeltest.Part(b, "first5", func() {
		if err := empty.UnmarshalBinary(none); err != nil {
			b.Fatal(err)
		}
		from = (from + 7) % (len(first) - 5)
		for _, s := range first[from : from+5] {
			if _, err := empty.Update(s); err != nil {
				b.Fatal(err)
			}
		}
	})
}
