//go:build unix

package chaos

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/probe"
	"github.com/credence-stream/credence/testenv/programs"
)

// known is a model of a formula, and alerts, as the release before knows them: that has no products and no factors, whose states it has otherwise.
const known = `  - match: "k/*6"
    kind: linear
    formula: y ~ I(x0) + I(x1) + I(x2**2)
` + others

// drill is an upgrade of a group from the release before to this one, and back.
type drill struct {
	// previous, present, partly and unaware are programs: partly is of a release that cannot read some of the states that
	// this one writes, unaware of the last that can read none.
	previous, present, partly, unaware string
	seed                               uint64
	env                                *testenv.Env
	client                             *kafka.Client
}

// TestDrill has a group of the release before at work, puts this release in the place of
// one process after the other while records come, with kills in between, takes the group
// back to the release before and forth again, and compares all that the group left behind
// with undisturbed runs of either release. Then it gives the release before what it cannot
// read. CREDENCE_DRILL says how many shards (make drill), CREDENCE_SEED which.
func TestDrill(t *testing.T) {
	shards := int(number(t, "CREDENCE_DRILL", 0))
	if shards == 0 {
		t.Skip("make drill: a minute, and the history of the repository")
	}
	d := &drill{seed: number(t, "CREDENCE_SEED", uint64(time.Now().UnixNano())), present: buildConsumer(t)}
	d.previous, d.partly, d.unaware = buildPrevious(t)
	t.Logf("seed %d", d.seed)
	for _, b := range testenv.Backends(t) {
		t.Run(string(b), func(t *testing.T) {
			d.env = testenv.Open(t, b)
			var err error
			if d.client, err = kafka.New(kafka.Options{Brokers: d.env.Brokers()}); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.client.Close() })
			t.Run("rolling", func(t *testing.T) { d.rolling(t, shards) })
			t.Run("unreadable", d.unreadable)
			t.Run("later", d.later)
		})
	}
}

// named is a name of this drill alone.
func (d *drill) named(name string) string { return name + "-" + strconv.FormatUint(d.seed, 36) }

// group is one over an input.
func (d *drill) group(t *testing.T, name, input string) group {
	t.Helper()
	return d.groupOf(t, name, input, kinds+known)
}

// without leaves models of kinds out of which an older release has another revision, so that their states are of another model.
func without(models string, kinds ...string) string {
	var left strings.Builder
	for line := range strings.Lines(models) {
		if !slices.ContainsFunc(kinds, func(kind string) bool { return strings.Contains(line, "kind: "+kind) }) {
			left.WriteString(line)
		}
	}
	return left.String()
}

func (d *drill) groupOf(t *testing.T, name, input, models string) group {
	t.Helper()
	return configure(t, d.env.Brokers(), d.env.RedisURL(), d.named(name), input, "1MiB", hurried, models)
}

// topic makes an input and returns its name.
func (d *drill) topic(t *testing.T, name string, partitions int) string {
	t.Helper()
	if err := d.env.CreateTopic(t.Context(), d.named(name), partitions, nil); err != nil {
		t.Fatal(err)
	}
	return d.named(name)
}

// trickle sends records, 400 in a second, and closes half in the middle.
func (d *drill) trickle(ctx context.Context, records []pipeline.Output, half chan<- struct{}) error {
	p := kafka.NewProducer(d.client, kafka.ProducerOptions{})
	return p.Run(ctx, func(ctx context.Context, send func(pipeline.Output) error) error {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for i, o := range records {
			if i == len(records)/2 {
				close(half)
			}
			if i%40 == 0 {
				select {
				case <-tick.C:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			if err := send(o); err != nil {
				return err
			}
		}
		return nil
	})
}

// settle runs a release to the end of the log.
func settle(t *testing.T, binary string, g group) {
	t.Helper()
	if got := programs.Run(t, binary, "run", "--config", g.config, "--until-end"); got.Code != 0 {
		t.Fatalf("group %s: exit %d\n%s", g.name, got.Code, programs.Last(got.Messages))
	}
}

// fleet is a group at work.
type fleet struct {
	*testing.T
	d       *drill
	g       group
	o       *observer
	workers []*programs.Service
	records []pipeline.Output // to come, a portion in each step
	portion int
	start   time.Time
}

// begin starts a worker in a place and waits until it has partitions.
func (f *fleet) begin(i int, binary string) {
	f.Helper()
	w := programs.Start(f, binary, "run", "--config", f.g.config, "--set", "http.listen=127.0.0.1:0")
	f.workers[i] = w
	programs.Eventually(f, fmt.Sprintf("worker %d has partitions", i), func() (bool, error) {
		_, metrics := w.Fetch(f, "/metrics")
		return strings.Contains(metrics, "\ncredence_consumer_lag_records{"), nil
	})
}

// step sends a portion of the records. When half of it is sent it does something, and then
// waits until all of it has been applied and saved, by whoever works.
func (f *fleet) step(what string, do func()) {
	f.Helper()
	half, sent := make(chan struct{}), make(chan error, 1)
	records := f.records[:f.portion]
	f.records = f.records[f.portion:]
	go func() { sent <- f.d.trickle(f.Context(), records, half) }()
	select {
	case <-half:
	case err := <-sent:
		f.Fatal(err)
	}
	do()
	if err := <-sent; err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(f.Context(), probe.Patience)
	defer cancel()
	if err := probe.Until(ctx, func(ctx context.Context) error {
		behind, err := f.o.behind(ctx)
		if err == nil && behind > 0 {
			err = fmt.Errorf("%d records are not saved", behind)
		}
		return err
	}); err != nil {
		f.Fatalf("%s: %v", what, err)
	}
	f.Logf("%5.1f s %s", time.Since(f.start).Seconds(), what)
}

// rolling upgrades three workers under traffic.
func (d *drill) rolling(t *testing.T, shards int) {
	const steps = 8
	input := d.topic(t, "rolled-in", 6)
	s, err := newStream(d.seed, input, shards, 120)
	if err != nil {
		t.Fatal(err)
	}
	g := d.group(t, "rolled", input)
	f := &fleet{T: t, d: d, g: g, o: observe(t, d.client, g, input), workers: make([]*programs.Service, 3), records: s.records, portion: len(s.records) / steps, start: time.Now()}

	f.step("three workers of the release before", func() {
		for i := range f.workers {
			f.begin(i, d.previous)
		}
	})
	f.step("the first of them is replaced by one of this release", func() {
		f.workers[0].Stop(t)
		f.begin(0, d.present)
	})
	f.step("and killed: workers of the release before go on with its states", func() {
		f.workers[0].Kill(t)
	})
	f.step("it is back, and the second, killed, is replaced", func() {
		f.begin(0, d.present)
		f.workers[1].Kill(t)
		f.begin(1, d.present)
	})
	f.step("the third is killed, and one of the release before is back in its place", func() {
		f.workers[2].Kill(t)
		f.begin(2, d.previous)
	})
	f.step("all three are of this release", func() {
		f.workers[2].Stop(t)
		f.begin(2, d.present)
	})
	f.step("back to the release before, all at once", func() {
		for _, w := range f.workers {
			w.Stop(t)
		}
		f.begin(0, d.previous)
	})
	f.portion = len(f.records)
	f.step("and to this one again", func() {
		f.workers[0].Stop(t)
		f.begin(0, d.present)
	})
	f.workers[0].Stop(t)

	before, now := d.group(t, "before", input), d.group(t, "now", input)
	settle(t, d.previous, before)
	settle(t, d.present, now)
	t.Logf("%5.1f s undisturbed runs of both releases", time.Since(f.start).Seconds())
	f.o.releases = true
	got := f.o.outcome(t)
	d.compare(t, before, now)
	if got.either(t, observe(t, d.client, before, input).outcome(t), observe(t, d.client, now, input).outcome(t)) {
		d.sameSums(t, before)
		d.sameSums(t, g)
	}
	t.Logf("%d shards, %d records; %d outputs came again, %d of them as another release writes them", s.shards, len(s.records), got.repeats, len(got.rewritten))
}

// sameSums fails where a state does not come from the sums that this release finds in the log.
func (d *drill) sameSums(t *testing.T, g group) {
	t.Helper()
	got := programs.Run(t, d.present, "verify", "--config", g.config)
	if got.Code != 0 {
		t.Errorf("verify of group %s: exit %d\n%s%s", g.name, got.Code, got.Data, got.Messages)
		return
	}
	t.Logf("verify of group %s: %s", g.name, programs.Last(got.Messages))
}

// either reports outputs that neither of two releases would have come to. It returns whether states are not the
// same in both, or those of neither: what made them has one fingerprint, and so they have to come from the same
// sums, or the kind's Revision must be raised.
func (got outcome) either(t *testing.T, before, now outcome) (differ bool) {
	t.Helper()
	choose := func(what string, got, before, now map[string]string) (differ bool) {
		same, old, fresh, neither := 0, 0, 0, 0
		for id, text := range got {
			switch {
			case text == before[id] && text == now[id]:
				same++
			case text == before[id]:
				old++
			case text == now[id]:
				fresh++
			case what == "state":
				neither++
			default:
				t.Errorf("%s %s is that of neither release:\n%.500q\n%.500q\n%.500q", what, id, text, before[id], now[id])
			}
		}
		for id := range now {
			if _, ok := got[id]; !ok {
				t.Errorf("%s %s is missing", what, id)
			}
		}
		if len(before) != len(now) || len(got) != len(now) || len(got) == 0 {
			t.Errorf("%ss: %d, by the release before alone %d, by this one %d", what, len(got), len(before), len(now))
		}
		t.Logf("%ss: %d, of which both releases write %d to the same bits, %d are as the one before writes them, %d as this one, %d as neither", what, len(got), same, old, fresh, neither)
		return old+fresh+neither > 0
	}
	differ = choose("state", got.states, before.states, now.states)
	choose("output", got.outputs, before.outputs, now.outputs)
	for id, text := range got.rewritten {
		if text != before.outputs[id] && text != now.outputs[id] {
			t.Errorf("output %s came again as neither release writes it", id)
		}
	}
	return differ
}

// unreadable upgrades a group from the last release that cannot read what this one writes, gives
// that its states, as after a downgrade, which it has to refuse and to leave as they are, and goes
// on with this release. What that is, and what it says, changes with PREVIOUS.
func (d *drill) unreadable(t *testing.T) {
	if d.unaware == "" {
		t.Skip("what another release than that of PREVIOUS cannot read is not known")
	}
	input := d.topic(t, "unreadable-in", 2)
	models := without(kinds+known, "poisson", "compressed", "probit")
	group := func(name string) group { return d.groupOf(t, name, input, models) }
	g := group("unreadable")
	o := observe(t, d.client, g, input)
	rng := rand.New(rand.NewPCG(d.seed, 4))
	// feed sends shards with a missing value each, of which rows are dropped.
	feed := func(n int) {
		var all []pipeline.Output
		for i := range n {
			b := shard(rng, 10, 3)
			addKinds(rng, b)
			b.Columns[0].Number[3] = math.NaN()
			value, err := arrow.Encode(b)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, pipeline.Output{Topic: input, Key: fmt.Appendf(nil, "k/%02d", i%20), Value: value, Time: time.Now().UnixMilli()})
		}
		if err := d.trickle(t.Context(), all, make(chan struct{})); err != nil {
			t.Fatal(err)
		}
	}
	feed(300)
	settle(t, d.unaware, g)
	feed(100) // of which states remember their shards
	settle(t, d.present, g)
	d.sameSums(t, g)
	before := o.states(t)
	feed(40)
	got := programs.Run(t, d.unaware, "run", "--config", g.config, "--until-end")
	t.Logf("the release that cannot read it says, with exit code %d:\n%s", got.Code, programs.Last(got.Messages))
	if got.Code != 1 || !strings.Contains(got.Messages, "halted") || !strings.Contains(got.Messages, "version 4, this one reads 1 to 3") {
		t.Error("that is no clear refusal")
	}
	same(t, before, o.states(t))
	settle(t, d.present, g)
	d.sameSums(t, g)
	older, now := group("older"), group("readable")
	settle(t, d.unaware, older)
	settle(t, d.present, now)
	o.outcome(t).either(t, observe(t, d.client, older, input).outcome(t), observe(t, d.client, now, input).outcome(t))
}
