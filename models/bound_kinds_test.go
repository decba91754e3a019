package models

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Responses of any kind of measurements that are cut off are told, and counts and classes are not, whatever the variant. A state that has it is read to the
// same bits.
func TestBoundOfKinds(t *testing.T) {
	for _, k := range Kinds() {
		s := streamOf(k)
		for _, variant := range k.Variants {
			t.Run(k.Name+"/"+variant, func(t *testing.T) {
				spec, r := s.spec(t, variant), rand.New(rand.NewPCG(2, 121))
				f, up, least := cdf.NewFilter(spec, "k"), false, 3.
				if spec.RawResponse {
					least = 0
				}
				for range 15 {
					b := s.shard(r, 40)
					y := b.Columns[slices.IndexFunc(b.Columns, func(c cdf.Column) bool { return c.Name == "y" })].Number
					for i := range y {
						y[i] = max(y[i], least)
					}
					sum, err := f.Update(b)
					if err != nil {
						t.Fatal(err)
					}
					up = slices.Contains(sum.Flags, cdf.BoundFlag)
				}
				if up == spec.RawResponse {
					t.Errorf("up %t", up)
				}
				if _, part := f.Bound(); (part > 0) != up {
					t.Errorf("a part of %v, and the flag is %t", part, up)
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
					t.Errorf("the bytes are others when it was read, %v", err)
				}
			})
		}
	}
}
