//go:build unix

package integration

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// allRealData lists the real data, in the order of the models' documentation.
// The priors are those of the references; where a limit is wider than the
// references' own error, it is because the posterior is approximate, and as
// wide as the approximation was in independent programs over many seeds.
func allRealData() []realData {
	wheat := &wide{name: "wheat", response: "y"}
	nirsoil := &wide{name: "nirsoil", response: "Ciso", log: true}
	return []realData{
		{"ccpp", "linear", []int{100}, powerPlant, false},
		{"exam", "anova", []int{300}, groupMeans("exam"), false},
		{"radon_mn", "anova", []int{300}, groupMeans("radon_mn"), false},
		{"nile", "dlm", []int{7, 0}, series("nile", 1/.361), false},
		{"treering", "dlm", []int{400}, series("treering", 1/.645), false},
		{"adult", "probit", []int{300}, income, true},
		{"wheat-fixed20", "compressed", []int{50}, fixedProjection(wheat, 20), false},
		{"wheat-fixed60", "compressed", []int{50}, fixedProjection(wheat, 60), false},
		{"wheat", "compressed", []int{50, 0}, learnedProjection(wheat, .93, .89), true},
		{"nirsoil-fixed20", "compressed", []int{50}, fixedProjection(nirsoil, 20), false},
		{"nirsoil-fixed60", "compressed", []int{50}, fixedProjection(nirsoil, 60), false},
		{"nirsoil", "compressed", []int{20, 0}, learnedProjection(nirsoil, .21, .91), true},
		{"epil", "poisson", []int{24, 50, 0}, seizures, false},
		{"grouseticks", "poisson", []int{24, 50, 0}, ticks, false},
	}
}

// powerPlant: the posterior is exact, and so is the reference, by quadrature.
func powerPlant(t *testing.T) *experiment {
	rows := readTable(t, "ccpp.csv")
	ref := readReference(t, "lm.csv", "B_mean", "B_sd", "ccpp")
	features := make([]string, 4)
	for i, name := range []string{"AT", "V", "AP", "RH"} {
		features[i] = rows.scaled(t, name)
	}
	return &experiment{
		rows:     rows,
		columns:  fmt.Sprintf("response: %s, features: [%s]", rows.scaled(t, "PE"), strings.Join(features, ", ")),
		settings: "prior: {beta_variance: 10, intercept_variance: 10}",
		check: func(t *testing.T, _ int, got outcome) {
			got.close(t, "all", ref, within(.02, .01), func(p string) (string, bool) {
				if p == "sigma2" {
					return p, true
				}
				return "beta[" + p + "]", true
			})
		},
	}
}

// groupMeans: the reference is a quadrature, as ours is.
func groupMeans(name string) func(t *testing.T) *experiment {
	return func(t *testing.T) *experiment {
		ref := readReference(t, "anova_"+name+".csv", "mean", "sd", name)
		return &experiment{
			rows:     readTable(t, name+".csv").only(t, "group", "y"),
			columns:  "scaling: none, response: y, group: group",
			settings: "prior: {mu_variance: 100, sigma2_shape: 1, sigma2_rate: .1, tau2_shape: 1, tau2_rate: .1}",
			check: func(t *testing.T, _ int, got outcome) {
				got.close(t, "zeta", ref, within(1e-4, 1e-4), func(p string) (string, bool) {
					level, ok := strings.CutPrefix(p, "theta[")
					return "zeta[" + level, ok
				})
				got.close(t, "mu", ref, within(1e-4, 1e-4), named("mu", "mu"))
				got.close(t, "tau2", ref, within(1e-4, 1e-4), named("tau2", "tau2"))
				got.close(t, "sigma2", ref, within(1e-4, 1e-4), named("sigma2", "sigma2"))
			},
		}
	}
}

// series: theta_0 has variance 1 in the reference and h sigma2 in the model,
// so that h is one over the posterior mean of sigma2.
func series(name string, h float64) func(t *testing.T) *experiment {
	return func(t *testing.T) *experiment {
		ref := readReference(t, "dlm.csv", "mean", "sd", name, "trunc")
		rows := readTable(t, name+".csv")
		return &experiment{
			rows:    rows,
			columns: fmt.Sprintf("response: %s, time: t", rows.scaled(t, "y")),
			settings: fmt.Sprintf("prior: {phi_mean: 0, phi_variance: 1, sigma2_shape: 2, sigma2_rate: .2, "+
				"tau2_shape: 2, tau2_rate: .2, theta0_variance: %v}", h),
			check: func(t *testing.T, _ int, got outcome) {
				got.close(t, "all", ref, within(.15, .08), func(p string) (string, bool) {
					return strings.TrimSuffix(p, "_T"), true
				})
			},
		}
	}
}

// income: who earns more than 50,000 dollars, by six numbers and the country
// of birth. The reference is Hamiltonian Monte Carlo. Two countries have no
// such person: there the prior decides, and they are not judged.
func income(t *testing.T) *experiment {
	rows := readTable(t, "adult.csv").without("?")
	numbers := []string{"age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week"}
	rows = rows.only(t, append(slices.Clone(numbers), "native_country", "income")...)
	for _, line := range rows.lines {
		line[len(line)-1] = map[string]string{"<=50K": "0", ">50K": "1"}[line[len(line)-1]]
	}
	features := make([]string, len(numbers))
	for i, name := range numbers {
		features[i] = rows.scaled(t, name)
	}
	ref := readReference(t, "probit_adult_hmc.csv", "mean", "sd")
	const home = "United-States"
	levels := []string{home}
	for _, r := range ref {
		if country, ok := strings.CutPrefix(r.param, "country_"); ok {
			levels = append(levels, fmt.Sprintf("%q", country))
		}
	}
	features = append(features, fmt.Sprintf("{name: native_country, levels: [%s], baseline: %s, other: reject}", strings.Join(levels, ", "), home))
	return &experiment{
		rows:     rows,
		columns:  fmt.Sprintf("scaling: none, response: income, features: [%s]", strings.Join(features, ", ")),
		settings: "prior: {beta_variance: 10, intercept_variance: 10}, window: 1500, chains: 16",
		check: func(t *testing.T, _ int, got outcome) {
			off, size := 0.0, 0.0
			for _, r := range ref {
				if !strings.HasPrefix(r.param, "country_") {
					off += math.Abs(got.variable["beta["+r.param+"]"].mean - r.mean)
					size += math.Abs(r.mean)
				}
			}
			if !(off/size <= .01) {
				t.Errorf("intercept and slopes are %.2g %% off, limit 1", 100*off/size)
			}
			t.Logf("intercept and slopes are %.2g %% off (limit 1)", 100*off/size)
			got.close(t, "slopes", ref, within(math.Inf(1), .06), func(p string) (string, bool) {
				return "beta[" + p + "]", !strings.HasPrefix(p, "country_")
			})
			got.close(t, "country", ref, limits{.5, .7, 1.35}, func(p string) (string, bool) {
				country, ok := strings.CutPrefix(p, "country_")
				return "beta[native_country=" + country + "]", ok && country != "Holand-Netherlands" && country != "Outlying-US(Guam-USVI-etc)"
			})
			wrong := misclassified(t, rows, numbers, got.posterior)
			if !(math.Abs(wrong-.190) <= .002) {
				t.Errorf("%.4f are misclassified, want .190 +- .002", wrong)
			}
			t.Logf("%.4f are misclassified (limit .188 to .192)", wrong)
		},
	}
}

// misclassified is the share of rows that the posterior means put on the
// wrong side.
func misclassified(t *testing.T, rows *table, numbers []string, p posterior) float64 {
	eta := make([]float64, len(rows.lines))
	for _, name := range numbers {
		v := rows.numbers(t, name)
		center, scale := standard(v)
		for i, x := range v {
			eta[i] += p.variable["beta["+name+"]"].mean * (x - center) / scale
		}
	}
	wrong, country, y := 0.0, rows.at(t, "native_country"), rows.numbers(t, "income")
	for i, line := range rows.lines {
		eta[i] += p.variable["beta[intercept]"].mean + p.variable["beta[native_country="+line[country]+"]"].mean // baseline: 0
		if (eta[i] > 0) != (y[i] == 1) {
			wrong++
		}
	}
	return wrong / float64(len(y))
}

// counts compares a model of counts with a reference by Markov chain Monte
// Carlo. The smaller the shards, the more the expansion at the estimate of
// their time costs; limits are per cut.
func counts(rows *table, columns string, ref []moments, names map[string]string, mean map[int]float64, groups float64) *experiment {
	return &experiment{
		rows:     rows,
		columns:  columns,
		settings: "overdispersion: none, prior: {beta_variance: 10, group: inverse-gamma, group_shape: 1, group_rate: .1}",
		check: func(t *testing.T, cut int, got outcome) {
			got.close(t, "beta", ref, within(mean[cut], .05), func(p string) (string, bool) {
				name, ok := names[p]
				return "beta[" + name + "]", ok
			})
			got.close(t, "sigma2_u", ref, within(.25, .12), named("tau2", "sigma2_u"))
			got.close(t, "u", ref, within(math.Inf(1), groups), func(p string) (string, bool) { return p, strings.HasPrefix(p, "u[") })
		},
	}
}

func seizures(t *testing.T) *experiment {
	return counts(readTable(t, "epil.csv"),
		"scaling: none, response: y, features: [lbase, trt, lage, V4], group: group",
		readReference(t, "poisson_epil.csv", "mean", "sd", "epil"),
		map[string]string{"intercept": "intercept", "lbase": "lbase", "trt": "trt", "lage": "lage", "V4": "V4"},
		map[int]float64{24: .15, 50: .10, 0: .03}, .08)
}

func ticks(t *testing.T) *experiment {
	return counts(readTable(t, "grouseticks.csv").only(t, "group", "y", "year96", "year97", "cheight"),
		"scaling: none, response: y, features: [year96, year97, {name: cheight, center: 0, scale: 100}], group: group",
		readReference(t, "poisson_grouseticks.csv", "mean", "sd", "grouseticks"),
		map[string]string{"intercept": "intercept", "year96": "year96", "year97": "year97", "h": "cheight"},
		map[int]float64{24: .45, 50: .25, 0: .06}, math.Inf(1))
}
