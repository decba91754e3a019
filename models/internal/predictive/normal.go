package predictive

import (
	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/dist"
)

const lower, upper = 0, 6 // of dist.NormalQuantiles: the central 95 %

// Normal fills a prediction from normal laws about mean, but for what it says
// of the response.
func Normal(p *cdf.Prediction, mean, sd, line float64) {
	p.Mean, p.SD = mean, sd
	p.Q025, p.Q975 = mean+dist.NormalQuantiles[lower]*sd, mean+dist.NormalQuantiles[upper]*sd
	for i, z := range dist.InnerNormals {
		p.Inner[i] = mean + z*sd
	}
	NormalLine(p, mean, line)
}

// NormalLine fills in a normal law of the line.
func NormalLine(p *cdf.Prediction, mean, sd float64) {
	p.EpredSD, p.EpredQ025, p.EpredQ975 = sd, mean+dist.NormalQuantiles[lower]*sd, mean+dist.NormalQuantiles[upper]*sd
}
