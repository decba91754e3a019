package main

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// record is a posterior as the JSON form of the output topic has it. Numbers
// that are undefined are nil.
type record struct {
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
	Time           string     `json:"time"`
	NEff           *float64   `json:"n_eff"`
	PriorDominated []string   `json:"prior_dominated"`
	Score          score      `json:"score"`
	Posterior      []variable `json:"posterior"`
}

type score struct {
	Rows          int64    `json:"rows"`
	PredictedRows int64    `json:"predicted_rows"`
	LogDensity    *float64 `json:"log_density"`
	LogEvidence   *float64 `json:"log_evidence"`
	RMSE          *float64 `json:"rmse"`
	Coverage95    *float64 `json:"coverage95"`
}

// variable is the marginal posterior of one variable.
type variable struct {
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

// numbers returns the columns after the name, in the order of columnNames.
func (v *variable) numbers() []*float64 {
	return []*float64{
		v.Mean, v.SD, v.Median, v.Q025, v.Q05, v.Q25, v.Q75, v.Q95, v.Q975,
		v.MCSEMean, v.ESSBulk, v.ESSTail, v.RHat,
	}
}

func columnNames() []string {
	return []string{
		"mean", "sd", "median", "q2.5", "q5", "q25", "q75", "q95", "q97.5",
		"mcse_mean", "ess_bulk", "ess_tail", "r_hat",
	}
}

func parseRecord(text []byte) (*record, error) {
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("not a posterior in JSON: %w", err)
	}
	return &r, nil
}

// short prints a number for people: four digits, or a hyphen for none.
func short(x *float64) string {
	if x == nil {
		return "-"
	}
	return strconv.FormatFloat(*x, 'g', 4, 64)
}

// exact prints a number for programs: the shortest form that reads back the
// same, or nothing for none.
func exact(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
