package models

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// twiceIn doubles the rows of a batch, and leaves out a response behind the first half.
func twiceIn(b *cdf.Batch) {
	for i := range b.Columns {
		c := &b.Columns[i]
		c.Number, c.Code = append(c.Number, c.Number...), append(c.Code, c.Code...)
		if c.Name == "y" {
			c.Number[len(c.Number)/2+1] = math.NaN()
		}
	}
	b.Rows *= 2
}

// Rows of any kind of measurements that come twice in their shard are told of, whatever the variant, also beside rows without a response; those of counts, classes
// and time series are not, nor are those that come once. A state that has an account is read to the same bits.
func TestComeAgainOfKinds(t *testing.T) {
	for _, k := range Kinds() {
		s := streamOf(k)
		for _, variant := range k.Variants {
			for _, twice := range []bool{false, true} {
				spec, r := s.spec(t, variant), rand.New(rand.NewPCG(2, 122))
				f, up := cdf.NewFilter(spec, "k"), false
				for range 15 {
					b := s.shard(r, 40)
					if twice {
						twiceIn(b)
					}
					sum, err := f.Update(b)
					if err != nil {
						t.Fatal(err)
					}
					up = slices.Contains(sum.Flags, cdf.RepeatedRowsFlag)
				}
				if up != (twice && !spec.RawResponse && !spec.Steps) {
					t.Errorf("%s/%s, twice %t: up %t", k.Name, variant, twice, up)
				}
				snap, err := f.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				again := cdf.NewFilter(spec, "k")
				if err := again.UnmarshalBinary(snap); err != nil {
					t.Fatal(err)
				}
				if back, err := again.MarshalBinary(); err != nil || !bytes.Equal(back, snap) {
					t.Errorf("%s/%s, twice %t: the bytes are others when it was read, %v", k.Name, variant, twice, err)
				}
			}
		}
	}
}

// Every column counts for whether a row is the same: one that differs in a number, a level or the group comes once.
func TestEveryColumnTellsRows(t *testing.T) {
	for _, k := range Kinds() {
		s := streamOf(k)
		spec := s.spec(t, "")
		if spec.RawResponse || spec.Steps {
			continue
		}
		one, g := s.shard(rand.New(rand.NewPCG(3, 122)), 20), cdf.NewFilter(spec, "k")
		if _, err := g.Update(one); err != nil {
			t.Fatal(err)
		}
		inputs := g.Inputs()
		for i := range one.Columns {
			name := one.Columns[i].Name
			used := func(in cdf.Input) bool { return in.Name == name }
			if !slices.ContainsFunc(inputs, used) && name != "y" {
				continue
			}
			f, r := cdf.NewFilter(spec, "k"), rand.New(rand.NewPCG(3, 122))
			for range 15 {
				b := s.shard(r, 40)
				twiceIn(b)
				c := &b.Columns[i]
				for row := 40; row < 80; row++ {
					if c.Type == cdf.Text {
						c.Code[row] = (c.Code[row] + 1) % int32(len(c.Levels))
					} else {
						c.Number[row]++
					}
				}
				sum, err := f.Update(b)
				if err != nil {
					t.Fatal(err)
				}
				if slices.Contains(sum.Flags, cdf.RepeatedRowsFlag) {
					t.Fatalf("%s: rows that differ in %s are the same", k.Name, name)
				}
			}
		}
	}
}
