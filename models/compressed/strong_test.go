package compressed

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Where columns explain all but a millionth of the response, and the prior of sigma2 allows it, sigma2 is what is left: the prior
// variance of gamma has to follow, since what it takes off the coefficients counts as noise. While it ended at e^6 sigma2 was 28 to 560
// times too large. It is 1.1 times in the mean of 20 streams, and its sd that of 200 rows, a tenth.
func TestNoiseBelowStrongSignals(t *testing.T) {
	const p, rows, noise = 8, 200, .001
	for _, settings := range []string{"statistics: exact", "rank: 8", "rank: 4"} {
		m := newTest(t, "", fmt.Sprintf("{%s, prior: {sigma2_shape: .25, sigma2_rate: 1e-6}}", settings), modeltest.Columns(p))
		r := rand.New(rand.NewPCG(73, 5))
		sh := &cdf.Shard{Rows: rows, Cols: p, X: make([]float64, rows*p), Y: make([]float64, rows)}
		for i := range sh.Y {
			sh.Y[i] = noise * r.NormFloat64()
			for j := range p {
				v := r.NormFloat64()
				sh.X[i*p+j] = v
				sh.Y[i] += float64(j%3) * v
			}
		}
		feed(t, m, sh, 50)
		sigma2 := modeltest.Summarize(t, m, modeltest.Coefficients(p + 1)[p:p+1])[0]
		if ratio := sigma2.Mean / (noise * noise); !(ratio > .5 && ratio < 2) {
			t.Errorf("%s: sigma2 is %.3g times what it is", settings, ratio)
		}
	}
}
