package check

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
)

// check names the features of an entry of models that follow from others, by columns and by
// formula, and only in the entry that they are in.
func TestFeaturesThatFollow(t *testing.T) {
	for models, want := range map[string][]string{
		`{match: "k*", kind: linear, columns: {response: y, features: [gross, net]}}, {match: "**", kind: linear, columns: {response: y, features: [gross]}}`: {
			`warning models[0]: "net" follows from gross (0.8 gross), in all 90 rows looked at: whose the effect is cannot be told, and the intervals of all of them stay about as wide as the prior's (leave "net" out of models[0].columns.features, or what it follows from)`,
		},
		`{match: "**", kind: linear, columns: {response: y}}`:               {`warning models[0]: "net" follows from gross`},
		`{match: "**", kind: linear, formula: "y ~ log(gross) + log(net)"}`: {`warning models[0]: "log(net)" follows from log(gross)`, "out of models[0].formula"},
		`{match: "**", kind: linear, formula: "y ~ log(gross) + net"}`:      nil,
		`{match: "**", kind: linear, columns: {response: net, features: [gross]}}`: {
			`warning models[0]: the response "net" follows from gross (0.8 gross), in all 90 rows looked at`, "leave what it is made of out of models[0].columns.features",
		},
	} {
		k := &checker{names: cli.Apart(), config: configtest.Parse(t, "models: ["+models+"]")}
		rules, err := connect.NewRules(k.config)
		if err != nil {
			t.Fatal(err)
		}
		i := newInspector(k.names, k.config, rules, func([]byte, int) int32 { return 0 })
		for n := range 30 {
			for _, key := range []string{"k", "other"} {
				b := &cdf.Batch{Rows: 3, Columns: []cdf.Column{{Name: "y"}, {Name: "gross"}, {Name: "net"}}}
				for row := range 3 {
					gross := 10 + math.Sin(float64(3*n+row))
					for c, v := range []float64{math.Cos(float64(n * row)), gross, gross / 1.25} {
						b.Columns[c].Number = append(b.Columns[c].Number, v)
					}
				}
				if key == "k" || strings.Count(models, "match") > 1 {
					i.visit(&connect.Sampled{Partitions: 1, Record: &pipeline.Record{Key: []byte(key), Offset: int64(n)}, Batch: b})
				}
			}
		}
		i.report(k)
		said, found := "", 0
		for _, f := range k.findings {
			said += fmt.Sprintf("%s %s: %s (%s)\n", f.Level, f.Subject, f.Message, f.Fix)
			if strings.Contains(f.Message, "follows from") {
				found++
			}
		}
		for _, w := range want {
			if !strings.Contains(said, w) {
				t.Errorf("%s does not say %q:\n%s", models, w, said)
			}
		}
		if found != min(len(want), 1) {
			t.Errorf("%s: %d findings:\n%s", models, found, said)
		}
	}
}
