package sink

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
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
	Time           time.Time         `json:"time"`
	NEff           *float64          `json:"n_eff"`
	Scaling        *jsontext.Scaling `json:"scaling"`
	PriorDominated []string          `json:"prior_dominated"`
	WeakMixing     []string          `json:"weak_mixing"`
	Flags          []string          `json:"flags"`
	Outliers       struct {
		Rows   int64 `json:"rows"`
		T      int64 `json:"t"`
		Offset int64 `json:"offset"`
	} `json:"outliers"`
	Dropped    []jsontext.Drop     `json:"dropped"`
	Quantities jsontext.Quantities `json:"quantities"`
	Alerts     []string            `json:"alerts"`
	Score      struct {
		Rows          int64    `json:"rows"`
		PredictedRows int64    `json:"predicted_rows"`
		LogDensity    *float64 `json:"log_density"`
		LogEvidence   *float64 `json:"log_evidence"`
		RMSE          *float64 `json:"rmse"`
		Coverage95    *float64 `json:"coverage95"`
	} `json:"score"`
	Posterior  []row             `json:"posterior"`
	Covariance []jsontext.Number `json:"covariance"`
	Omitted    int               `json:"omitted"`
	Gaps       int               `json:"gaps"`
}

// row is one variable of it.
type row struct {
	Variable string   `json:"variable"`
	Mean     *float64 `json:"mean"`
	SD       *float64 `json:"sd"`
	Median   *float64 `json:"median"`
	Q025     *float64 `json:"q2.5"`
	Q05      *float64 `json:"q5"`
	Q25      *float64 `json:"q25"`
	Q75      *float64 `json:"q75"`
	Q95      *float64 `json:"q95"`
	Q975     *float64 `json:"q97.5"`
	MCSEMean *float64 `json:"mcse_mean"`
	ESSBulk  *float64 `json:"ess_bulk"`
	ESSTail  *float64 `json:"ess_tail"`
	RHat     *float64 `json:"r_hat"`
}

// ParseJSON reads what JSON writes, and how many variables were left out of
// it. Nulls, and numbers that are missing, are NaN. pipeline.ErrDecode,
// wrapped, reports anything else.
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
		T: v.T, N: v.N, NEff: number(v.NEff), Draws: v.Draws,
		Score: cdf.Score{
			Rows:          v.Score.Rows,
			PredictedRows: v.Score.PredictedRows,
			LogDensity:    number(v.Score.LogDensity),
			LogEvidence:   number(v.Score.LogEvidence),
			RMSE:          number(v.Score.RMSE),
			Coverage95:    number(v.Score.Coverage95),
		},
		PriorDominated: v.PriorDominated,
		WeakMixing:     v.WeakMixing,
		Flags:          v.Flags,
		Outliers:       cdf.Outliers{Rows: v.Outliers.Rows, T: v.Outliers.T},
		Drops:          jsontext.Drops(v.Dropped),
		Covariance:     jsontext.Floats(v.Covariance),
		Quantities:     v.Quantities.Told(),
	}
	if v.Scaling != nil {
		s.Scaling = *v.Scaling
	}
	for _, r := range v.Posterior {
		s.Rows = append(s.Rows, cdf.Row{
			Variable: r.Variable,
			Mean:     number(r.Mean), SD: number(r.SD), Median: number(r.Median),
			Q025: number(r.Q025), Q05: number(r.Q05), Q25: number(r.Q25),
			Q75: number(r.Q75), Q95: number(r.Q95), Q975: number(r.Q975),
			MCSEMean: number(r.MCSEMean), ESSBulk: number(r.ESSBulk), ESSTail: number(r.ESSTail), RHat: number(r.RHat),
		})
	}
	if s.Answers() > len(s.Rows) {
		s.Quantities = nil // some of their rows were left out
	}
	return &pipeline.Posterior{
		Alerts: v.Alerts,
		Key:    v.Key, Kind: v.Kind, Variant: v.Variant, Config: v.Config,
		Source: pipeline.Partition{Topic: v.Source.Topic, ID: v.Source.Partition},
		Offset: v.Source.Offset, Time: v.Time.UnixMilli(), Gaps: v.Gaps, Outlier: v.Outliers.Offset, Summary: s,
		Settled: v.Scaling == nil,
	}, v.Omitted, nil
}

// number is NaN where there is none: a null, or a key that is not there.
func number(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
