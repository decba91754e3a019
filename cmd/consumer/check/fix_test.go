package check

import (
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
)

// What to do about a shard that is refused is about what is wrong with it: a feature, or the response.
func TestFixIsOfTheColumn(t *testing.T) {
	for _, c := range []struct {
		y, x float64
		want string
	}{
		{1, math.Inf(1), `correct "x" where it is sent, or leave it out of models[0].columns`},
		{.5, 1, `choose another models[0].kind, or another columns.response than "y"`},
		{math.Inf(1), 1, `choose another models[0].kind, or another columns.response than "y"`},
	} {
		k := &checker{names: cli.Apart(), config: configtest.Parse(t, `models: [{match: "**", kind: probit, columns: {response: y, features: [x]}}]`)}
		rules, err := connect.NewRules(k.config)
		if err != nil {
			t.Fatal(err)
		}
		i := newInspector(k.names, k.config, rules, func([]byte, int) int32 { return 0 })
		b := &cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "y", Number: []float64{c.y}}, {Name: "x", Number: []float64{c.x}}}}
		i.visit(&connect.Sampled{Partitions: 1, Record: &pipeline.Record{Key: []byte("k")}, Batch: b})
		i.report(k)
		if f := k.findings[0]; f.Level != levelError || !strings.HasPrefix(f.Fix, c.want) {
			t.Errorf("y %g, x %g: %+v, want %q", c.y, c.x, f, c.want)
		}
	}
}
