package models_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
)

// That all numbers are finite is presumed, but for some shards after one that was not so. Whether it was makes no
// difference: shards with missing, infinite and very large numbers, in wide columns and in the last ones, alone and
// with levels that are missing, between shards without, give the states and the refusals of a workspace that has just seen such a
// shard, and of the rows that are not dropped the coefficients that they give alone.
func TestPresumedFinite(t *testing.T) {
	k, ok := models.Lookup("linear")
	if !ok {
		t.Fatal("no linear")
	}
	features := []cdf.Feature{{Name: "city", LevelsFirst: true}}
	for j := range 11 {
		features = append(features, cdf.Feature{Name: fmt.Sprint("x", j)})
	}
	for _, missing := range []string{"drop", "reject"} {
		spec, err := k.Spec("", cdf.Roles{Intercept: true, Features: features}, func(any) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		spec.Missing = missing
		r := rand.New(rand.NewPCG(1, 78))
		shard := func(rows int) *cdf.Batch {
			b := &cdf.Batch{Rows: rows, Columns: []cdf.Column{{Name: "city", Type: cdf.Text, Levels: []string{"a", "b"}, Code: make([]int32, rows)}}}
			for j := range 12 {
				c := cdf.Column{Name: fmt.Sprint("x", j), Number: make([]float64, rows)}
				if j == 11 {
					c.Name = "y"
				}
				for i := range rows {
					c.Number[i] = r.NormFloat64()
				}
				b.Columns = append(b.Columns, c)
			}
			for i := range rows {
				b.Columns[0].Code[i] = int32(r.IntN(2))
			}
			return b
		}
		ws := cdf.NewWorkspace()
		kept := cdf.NewFilter(spec, "key")
		presumes, careful, other := cdf.NewFilter(spec, "key"), ws.NewFilter(spec, "key"), ws.NewFilter(spec, "other")
		if _, err := other.Update(shard(60)); err != nil {
			t.Fatal(err)
		}
		refused, dropped := 0, 0
		for i := range 1500 {
			b := shard([]int{8, 9, 30, 70}[r.IntN(4)])
			if i == 0 {
				b = shard(70)
			}
			row, strange := r.IntN(b.Rows), i > 0 && r.IntN(30) == 0
			for range 3 {
				if !strange || r.IntN(2) == 0 {
					continue
				}
				c := &b.Columns[1+r.IntN(11)]
				c.Number[row] = []float64{math.NaN(), math.NaN(), math.NaN(), math.Inf(1), 1e200, 0x1p1023, -math.MaxFloat64}[r.IntN(7)]
			}
			if strange && r.IntN(2) == 0 {
				b.Columns[0].Code[row] = -1
			}
			odd := shard(8)
			odd.Columns[3].Number[2] = math.Inf(1)
			if _, err := other.Update(odd); err == nil {
				t.Fatal("an infinite number was taken")
			}

			got, err := presumes.Update(b)

			want, wanted := careful.Update(b)
			if fmt.Sprint(err) != fmt.Sprint(wanted) {
				t.Fatalf("shard %d: %v, carefully %v", i, err, wanted)
			}
			if err != nil {
				refused++
			} else if got.Dropped != want.Dropped {
				t.Fatalf("shard %d: %d rows dropped, carefully %d", i, got.Dropped, want.Dropped)
			} else {
				if got.Dropped > 0 {
					b = without(b, row)
					dropped++
				}
				if alone, err := kept.Update(b); err != nil || fmt.Sprint(alone.Rows) != fmt.Sprint(got.Rows) {
					t.Fatalf("shard %d: %v\nof the rows that are kept: %v, %v", i, got.Rows, alone.Rows, err)
				}
			}
			one, errOne := presumes.AppendBinary(nil)
			two, errTwo := careful.AppendBinary(nil)
			if errOne != nil || errTwo != nil || !bytes.Equal(one, two) {
				t.Fatalf("shard %d: another state (%v, %v)", i, errOne, errTwo)
			}
		}
		if refused < 10 || missing == "drop" && dropped < 5 {
			t.Errorf("%s: %d refused, %d with rows dropped", missing, refused, dropped)
		}
	}
}

// without returns a batch of text and numbers without a row.
func without(b *cdf.Batch, row int) *cdf.Batch {
	less := &cdf.Batch{Rows: b.Rows - 1}
	for _, c := range b.Columns {
		if c.Type == cdf.Text {
			c.Code = slices.Delete(slices.Clone(c.Code), row, row+1)
		} else {
			c.Number = slices.Delete(slices.Clone(c.Number), row, row+1)
		}
		less.Columns = append(less.Columns, c)
	}
	return less
}
