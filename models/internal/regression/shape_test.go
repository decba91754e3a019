package regression

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// A number that is not finite is found wherever it stands.
func TestCheckFindsWhatIsNotFinite(t *testing.T) {
	for rows := 1; rows <= 9; rows++ {
		s := Shape{Name: "beta", P: 1}
		sh := &cdf.Shard{Rows: rows, Cols: 1, X: make([]float64, rows), Y: make([]float64, rows)}
		for i := range sh.X {
			sh.X[i] = math.Copysign(math.MaxFloat64, float64(i%2)-1)
		}
		if err := s.Check(sh); err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			for _, bad := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
				before := sh.X[i]
				sh.X[i] = bad
				if err := s.Check(sh); !errors.Is(err, cdf.ErrShard) || !strings.Contains(err.Error(), fmt.Sprintf("row %d,", i)) {
					t.Errorf("%v in row %d of %d: %v", bad, i, rows, err)
				}
				sh.X[i] = before
				if sh.Y[i] = bad; (s.Check(sh) == nil) != math.IsNaN(bad) {
					t.Errorf("response %v in row %d of %d: %v", bad, i, rows, s.Check(sh))
				}
				sh.Y[i] = 0
			}
		}
	}
}
