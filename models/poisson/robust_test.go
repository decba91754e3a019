package poisson

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

func TestCheck(t *testing.T) {
	m, good := crossed(t, plain(), 20)
	if err := m.Check(good); err != nil {
		t.Errorf("a good shard: %v", err)
	}
	for name, c := range map[string]struct {
		spoil func(*cdf.Shard)
		says  string
	}{
		"negative":  {func(s *cdf.Shard) { s.Y[3] = -1 }, "row 4 is -1, which is not a count"},
		"fraction":  {func(s *cdf.Shard) { s.Y[0] = 1.5 }, "row 1 is 1.5"},
		"infinite":  {func(s *cdf.Shard) { s.Y[1] = math.Inf(1) }, "row 2 is +Inf"},
		"huge":      {func(s *cdf.Shard) { s.Y[1] = 1e17 }, "row 2 is 1e+17"},
		"feature":   {func(s *cdf.Shard) { s.X[5] = math.NaN() }, "row 3, column 2"},
		"offset":    {func(s *cdf.Shard) { s.Offset[2] = math.Inf(-1) }, "row 3"},
		"slope":     {func(s *cdf.Shard) { s.Slopes[0][2] = math.NaN() }, "row 3"},
		"factors":   {func(s *cdf.Shard) { s.Group = s.Group[:1] }, "1 factors"},
		"too wide":  {func(s *cdf.Shard) { s.Group[1][4] = 600 }, "list the factor with the most levels first"},
		"too large": {func(s *cdf.Shard) { s.Group[0][4] = 2_000_000 }, `levels of "store"`},
	} {
		s := *good
		s.X, s.Y, s.Offset = slices.Clone(s.X), slices.Clone(s.Y), slices.Clone(s.Offset)
		s.Group = [][]int32{slices.Clone(s.Group[0]), slices.Clone(s.Group[1])}
		s.Slopes = [][]float64{slices.Clone(s.Slopes[0])}
		c.spoil(&s)
		if err := m.Check(&s); !errors.Is(err, cdf.ErrShard) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSettings(t *testing.T) {
	for name, spoil := range map[string]func(*Settings){
		"beta_variance": func(s *Settings) { s.Prior.BetaVariance = 0 }, "group_scale": func(s *Settings) { s.Prior.GroupScale = -1 },
		"group_shape": func(s *Settings) { s.Prior.GroupShape = math.NaN() }, "group_rate": func(s *Settings) { s.Prior.GroupRate = math.Inf(1) },
		"prior.group": func(s *Settings) { s.Prior.Group = "gamma" }, "buffer": func(s *Settings) { s.Buffer = -1 },
		"overdispersion": func(s *Settings) { s.Overdispersion = "gamma" },
	} {
		s := plain()
		spoil(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	modeltest.Refuses(t, Kind(), "paper", map[string]string{"buffer: 5": "variant paper has no buffer"})
}

// A functional may not mix what has no joint law in closed form.
func TestRefusesAMixedFunctional(t *testing.T) {
	m, sh := crossed(t, plain(), 70)
	d := modeltest.Stepper{Model: m}
	d.Must(t, sh, 1)
	last := m.k + m.stats.effects()
	for _, params := range [][]int{{0, last}, {last + 3}, {-1}, {2, last}} {
		f := []cdf.Functional{{Name: "v", Param: params, Weight: []float64{1, 1}[:len(params)]}}
		if err := m.Summarize(f, make([]cdf.Row, 1)); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("%v: %v", params, err)
		}
	}
}
