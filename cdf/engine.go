package cdf

import "errors"

// engine is a model with what the filter asks of it.
type engine struct {
	model           Model
	blocks          []Block
	summarizer      Summarizer      // nil: none
	fitted          Fitted          // nil: none
	predictor       Predictor       // nil: none
	quantiler       Quantiler       // nil: none
	evidence        Evidence        // nil: none
	covariancer     Covariancer     // nil: none
	retirer         Retirer         // nil: none
	flagger         Flagger         // nil: none
	collinear       Collinear       // nil: none
	feeder          Feeder          // nil: none
	stateSummarizer StateSummarizer // nil: none
	priorSummarizer PriorSummarizer // nil: none
	priorSensitive  PriorSensitive  // nil: none
	priorShared     PriorShared     // nil: none
	rescaler        Rescaler        // nil: none
	redrawer        Redrawer        // nil: none
	sided           Sided           // nil: none
	exponential     Exponential     // nil: none
	cumulative      Cumulative      // nil: none
	arriving        Arriving        // nil: none
	narrowing       Narrowing       // nil: none
	amender         Amended         // nil: none
	lawDecides      LawDecides      // nil: no parameter goes with the law of what rows differ by
	oneVariance     bool            // a model of groups
	chains          int             // 0: a closed form
}

func newEngine(spec *Spec, d *design) (*engine, error) {
	m, err := spec.New(d.dims(spec))
	if err != nil {
		return nil, as(ErrSchema, err)
	}
	e := &engine{model: m, blocks: m.Blocks()}
	faces := m
	if w, ok := m.(Wrapper); ok {
		faces = w.Unwrap()
	}
	e.summarizer, _ = faces.(Summarizer)
	e.fitted, _ = faces.(Fitted)
	e.predictor, _ = faces.(Predictor)
	e.quantiler, _ = faces.(Quantiler)
	e.evidence, _ = faces.(Evidence)
	e.covariancer, _ = faces.(Covariancer)
	e.retirer, _ = faces.(Retirer)
	e.flagger, _ = faces.(Flagger)
	e.collinear, _ = faces.(Collinear)
	e.feeder, _ = faces.(Feeder)
	e.stateSummarizer, _ = faces.(StateSummarizer)
	e.priorSummarizer, _ = faces.(PriorSummarizer)
	e.priorSensitive, _ = faces.(PriorSensitive)
	e.priorShared, _ = faces.(PriorShared)
	e.rescaler, _ = faces.(Rescaler)
	e.redrawer, _ = faces.(Redrawer)
	e.sided, _ = faces.(Sided)
	e.exponential, _ = faces.(Exponential)
	e.cumulative, _ = faces.(Cumulative)
	e.arriving, _ = faces.(Arriving)
	e.narrowing, _ = faces.(Narrowing)
	e.amender, _ = faces.(Amended)
	e.lawDecides, _ = faces.(LawDecides)
	_, e.oneVariance = faces.(OneVariance)
	if s, ok := faces.(Sampler); ok {
		e.chains = s.Chains()
	} else if e.summarizer == nil {
		e.chains = 1
	}
	return e, nil
}

func (d *design) dims(spec *Spec) Dims {
	return Dims{
		Columns:   d.names,
		Intercept: spec.Columns.Intercept,
		Groups:    spec.Columns.Groups,
		Draws:     spec.Draws,
		Publish:   spec.Publish.Draws,
		Centered:  spec.centersResponse(),
		Siblings:  d.alike(),
	}
}

// check asks the model whether it takes a shard, before which rows may come that were
// checked.
func (e *engine) check(sh *Shard, before *Before) error {
	if before == nil || e.cumulative == nil {
		return e.model.Check(sh)
	}
	return e.cumulative.CheckBehind(sh, before)
}

// draws returns the number of draws per shard, 0 where none are needed.
func (e *engine) draws(spec *Spec) int {
	if e.chains == 0 && !spec.Publish.Draws {
		return 0
	}
	chains := max(e.chains, 1)
	return (spec.Draws + chains - 1) / chains * chains
}

// count returns the number of rows of Draws.
func count(params []Param) int {
	n := 0
	for _, p := range params {
		n += p.Len
	}
	return n
}

// as makes sure that err can be told by the sentinel.
func as(sentinel, err error) error {
	if errors.Is(err, sentinel) {
		return err
	}
	return &classed{sentinel, err}
}

// classed adds a sentinel to an error of a model.
type classed struct{ class, err error }

func (c *classed) Error() string   { return c.class.Error() + ": " + c.err.Error() }
func (c *classed) Unwrap() []error { return []error{c.class, c.err} }
