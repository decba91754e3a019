package sink

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

// published is the JSON form of a posterior.
type published struct {
	Key     string `json:"key"`
	Kind    string `json:"kind"`
	Variant string `json:"variant"`
	T       int64  `json:"t"`
	N       int64  `json:"n"`
	Draws   int    `json:"draws"`
	Config  string `json:"config"`
	Source  struct {
		Topic     string `json:"topic"`
		Partition int32  `json:"partition"`
		Offset    int64  `json:"offset"`
	} `json:"source"`
	Time           time.Time        `json:"time"`
	NEff           jsontext.Number  `json:"n_eff"`
	Scaling        jsontext.Scaling `json:"scaling"`
	PriorDominated []string         `json:"prior_dominated"`
	WeakMixing     []string         `json:"weak_mixing"`
	Score          struct {
		Rows          int64           `json:"rows"`
		PredictedRows int64           `json:"predicted_rows"`
		LogDensity    jsontext.Number `json:"log_density"`
		LogEvidence   jsontext.Number `json:"log_evidence"`
		RMSE          jsontext.Number `json:"rmse"`
		Coverage95    jsontext.Number `json:"coverage95"`
	} `json:"score"`
	Posterior  []row             `json:"posterior"`
	Covariance []jsontext.Number `json:"covariance"`
	Omitted    int               `json:"omitted"`
	Gaps       int               `json:"gaps"`
}

// row is one variable of it.
type row struct {
	Variable string          `json:"variable"`
	Mean     jsontext.Number `json:"mean"`
	SD       jsontext.Number `json:"sd"`
	Median   jsontext.Number `json:"median"`
	Q025     jsontext.Number `json:"q2.5"`
	Q05      jsontext.Number `json:"q5"`
	Q25      jsontext.Number `json:"q25"`
	Q75      jsontext.Number `json:"q75"`
	Q95      jsontext.Number `json:"q95"`
	Q975     jsontext.Number `json:"q97.5"`
	MCSEMean jsontext.Number `json:"mcse_mean"`
	ESSBulk  jsontext.Number `json:"ess_bulk"`
	ESSTail  jsontext.Number `json:"ess_tail"`
	RHat     jsontext.Number `json:"r_hat"`
}

// ParseJSON reads what JSON writes, and how many variables were left out of
// it. Nulls are NaN. pipeline.ErrDecode, wrapped, reports anything else.
func ParseJSON(value []byte) (p *pipeline.Posterior, omitted int, err error) {
	var v published
	if err := json.Unmarshal(value, &v); err != nil {
		// The reason without the value: it may be anything.
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, 0, fmt.Errorf("%w: not JSON at byte %d", pipeline.ErrDecode, syntax.Offset)
		}
		return nil, 0, fmt.Errorf("%w: not a posterior: %w", pipeline.ErrDecode, err)
	}
	if v.Key == "" || v.Kind == "" {
		return nil, 0, fmt.Errorf("%w: not a posterior", pipeline.ErrDecode)
	}
	s := &cdf.Summary{
		T: v.T, N: v.N, NEff: float64(v.NEff), Draws: v.Draws,
		Score: cdf.Score{
			Rows:          v.Score.Rows,
			PredictedRows: v.Score.PredictedRows,
			LogDensity:    float64(v.Score.LogDensity),
			LogEvidence:   float64(v.Score.LogEvidence),
			RMSE:          float64(v.Score.RMSE),
			Coverage95:    float64(v.Score.Coverage95),
		},
		Scaling:        v.Scaling,
		PriorDominated: v.PriorDominated,
		WeakMixing:     v.WeakMixing,
		Covariance:     jsontext.Floats(v.Covariance),
	}
	for _, r := range v.Posterior {
		s.Rows = append(s.Rows, cdf.Row{
			Variable: r.Variable,
			Mean:     float64(r.Mean), SD: float64(r.SD), Median: float64(r.Median),
			Q025: float64(r.Q025), Q05: float64(r.Q05), Q25: float64(r.Q25),
			Q75: float64(r.Q75), Q95: float64(r.Q95), Q975: float64(r.Q975),
			MCSEMean: float64(r.MCSEMean), ESSBulk: float64(r.ESSBulk), ESSTail: float64(r.ESSTail), RHat: float64(r.RHat),
		})
	}
	return &pipeline.Posterior{
		Key: v.Key, Kind: v.Kind, Variant: v.Variant, Config: v.Config,
		Source: pipeline.Partition{Topic: v.Source.Topic, ID: v.Source.Partition},
		Offset: v.Source.Offset, Time: v.Time.UnixMilli(), Gaps: v.Gaps, Summary: s,
	}, v.Omitted, nil
}
