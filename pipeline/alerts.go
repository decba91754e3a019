package pipeline

import (
	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/alert"
)

// Alert is one message about an alert of a key before it is encoded.
type Alert struct {
	Key           string
	Kind, Variant string
	Config        string // first 16 hex digits of the fingerprint
	T             int64  // shards absorbed; 0 where the key was deleted
	Source        Partition
	Offset        int64
	Time          int64 // of the input record, milliseconds since 1970
	alert.Event
}

// step takes the alerts of a key through a shard that was absorbed.
func (l *lane) step(spec *cdf.Spec, env *Envelope, summary *cdf.Summary) (events []alert.Event) {
	if len(spec.Publish.Alerts)+len(env.Alerts) == 0 {
		return nil
	}
	env.Alerts, events = alert.Step(env.Alerts, spec.Publish.Alerts, summary.Watched)
	return events
}

// announce appends the records about the events of the record at hand.
func (l *lane) announce(outs []Output, t *task, shards int64, events []alert.Event) ([]Output, error) {
	r, spec := t.record, t.entry.state.spec
	for i := range events {
		out, err := l.outputs.Alert(&Alert{
			Key: t.entry.key, Kind: spec.Kind, Variant: spec.Variant, Config: l.rules.Config(), T: shards,
			Source: l.part, Offset: r.Offset, Time: r.Time, Event: events[i],
		}, r)
		if err != nil {
			return outs, err
		}
		outs = append(outs, out)
	}
	return outs, nil
}

// withdraw tells that what is raised of a key falls with it.
func (l *lane) withdraw(t *task) (err error) {
	model := t.entry.state.model
	if model == nil || len(model.env.Alerts) == 0 {
		return nil
	}
	t.result.Alerts = alert.Withdraw(model.env.Alerts, alert.Deleted)
	l.outs, err = l.announce(l.outs, t, 0, t.result.Alerts)
	return err
}
