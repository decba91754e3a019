package arrow

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// numbers takes them for an array.
func TestNumbersOfARowAreTogether(t *testing.T) {
	r := new(cdf.Row)
	for c, v := range r.Numbers() {
		if v != &numbers(r)[c] {
			t.Errorf("%s does not lie at its place", numberNames[c])
		}
	}
	if n := reflect.TypeFor[cdf.Row]().NumField(); n != 2+len(numberNames) {
		t.Errorf("a row has %d fields", n)
	}
}

// An encoder that has met many forms writes what a new one writes, whatever was in
// its buffer, and from several goroutines.
func TestSheets(t *testing.T) {
	e := NewEncoder()
	var all sync.WaitGroup
	for g := range 3 {
		all.Go(func() {
			r, dst := rand.New(rand.NewPCG(1, uint64(g))), []byte(nil)
			for range 400 {
				p := closed(posterior(1 + r.IntN(4)))
				if r.IntN(20) == 0 {
					p = closed(posterior(100))
				}
				for i := range p.Summary.Rows {
					row := &p.Summary.Rows[i]
					row.Variable = fmt.Sprintf("beta[%d]", r.IntN(1000))
					switch r.IntN(4) {
					case 0:
						row.Mean = math.NaN()
					case 1:
						row.SD = 0
					case 2:
						row.RHat = r.Float64()
					}
				}
				dst = append(dst[:0], bytes.Repeat([]byte{0xA5}, 20_000)...)
				got, err := e.Append(dst[:0], p, 0)
				if err != nil {
					t.Error(err)
					return
				}
				if want := encoded(t, p); !bytes.Equal(got, want) {
					t.Errorf("%d rows have other bytes than from a new encoder", len(p.Summary.Rows))
					return
				}
			}
		})
	}
	all.Wait()
}
