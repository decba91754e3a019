package simulate

// anovaGroups is the number of groups, labelled 1, 2, ...
const anovaGroups = 10

// anova is the paper's experiment with random effects: ten groups whose
// levels are drawn from N(4, .01), noise sd 10, ten rows per group a shard
// (arXiv:1401.3632, section 3.2, which does not say how many groups and
// whether its ten rows are all or per group: its intervals have the length of
// these). Rows are dealt to the groups in turn.
func anova() Scenario {
	return levels("anova", 10, func(seed uint64, key string, _ int64) []float64 {
		return drawnLevels(seed, key)
	})
}

// anovaJump has noise sd 5 and a first level that jumps from 4 to 8 after
// shard 150, for forgetting factors; the other levels are drawn from N(4, .01).
func anovaJump() Scenario {
	return levels("anova-jump", 5, func(seed uint64, key string, t int64) []float64 {
		zeta := drawnLevels(seed, key)
		if zeta[0] = 4; t > 150 {
			zeta[0] = 8
		}
		return zeta
	})
}

// drawnLevels returns draws from N(4, .01) that belong to the key. Shard 0
// never goes out, so its stream is free for them.
func drawnLevels(seed uint64, key string) []float64 {
	r := source(seed, key, 0)
	out := make([]float64, anovaGroups)
	for i := range out {
		out[i] = 4 + float64(0.1*r.NormFloat64())
	}
	return out
}

func levels(name string, sigma float64, zeta func(seed uint64, key string, t int64) []float64) Scenario {
	return Scenario{
		Name: name, Kind: "anova", Rows: 10 * anovaGroups,
		Shard: func(seed uint64, key string, t int64, rows int) Data {
			r, z := source(seed, key, t), zeta(seed, key, t)
			group, y := make([]float64, rows), make([]float64, rows)
			for i := range y {
				group[i] = float64(1 + i%anovaGroups)
				y[i] = z[i%anovaGroups] + float64(sigma*r.NormFloat64())
			}
			return Data{Names: []string{"group", "y"}, Columns: [][]float64{group, y}, Whole: []string{"group"}}
		},
		Truth: func(seed uint64, key string, t int64) []Truth {
			out := []Truth{{"mu", 4}, {"tau2", 0.01}, {"sigma2", sigma * sigma}}
			return appendTruths(out, "zeta", "", zeta(seed, key, t))
		},
	}
}
