package study

import "slices"

// All returns the experiments in the order of the paper.
func All() []*Experiment {
	return slices.Concat(
		[]*Experiment{linear(), anova(), dlm(), dlmVague()},
		dlmRatios(), probits(), compressed(),
		[]*Experiment{adult(), poisson()},
	)
}

// Lookup returns the experiment of the given name.
func Lookup(name string) (*Experiment, bool) {
	all := All()
	i := slices.IndexFunc(all, func(e *Experiment) bool { return e.Name == name })
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

// Names returns the names of all experiments.
func Names() []string {
	var names []string
	for _, e := range All() {
		names = append(names, e.Name)
	}
	return names
}
