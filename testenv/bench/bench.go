//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/testenv"
)

// bench collects the rows of the table.
type bench struct {
	ctx      context.Context
	quick    bool // leaves out what takes minutes
	effort   effort
	backend  testenv.Backend
	dir      string // for files
	profiles profiles
	peers    *peers
	rig      *rig // nil until something needs it
	rows     []row
}

func (b *bench) add(r row) {
	fmt.Fprintf(os.Stderr, "%-72s %8s %8s  %6s of %-5s %s\n", r.Item, r.Ours, r.Alternative, r.Ratio, r.Target, r.Unit)
	b.rows = append(b.rows, r)
}

// line is what is known of a row before it is measured.
type line struct {
	item   string
	unit   unit
	target figure // of the ratio, or the figure to reach
	how    string // beside the method
}

func (b *bench) how(l line) string {
	return l.how + "; " + b.effort.String()
}

// against measures our work and a peer's task in turns.
func (b *bench) against(l line, do contestant, p *peer, task string) error {
	why := p.begin(task)
	if why == nil {
		got, err := b.effort.duel(b.ctx, do, p)
		if err == nil {
			b.add(paced(l.item, l.unit, got[0], got[1], l.target, b.how(l)))
			return b.profile(l.item, watch(do))
		}
		if why = p.missing; why == nil {
			return err
		}
	}
	got, err := b.effort.duel(b.ctx, do)
	if err != nil {
		return err
	}
	b.add(lacking(l.item, l.unit, got[0], l.target, why))
	return b.profile(l.item, watch(do))
}

// itself measures two works of ours in turns.
func (b *bench) itself(l line, do, other contestant) error {
	got, err := b.effort.duel(b.ctx, do, other)
	if err != nil {
		return err
	}
	b.add(paced(l.item, l.unit, got[0], got[1], l.target, b.how(l)))
	return nil
}

// alone measures our work against a figure to reach.
func (b *bench) alone(l line, do contestant) error {
	got, err := b.effort.duel(b.ctx, do)
	if err != nil {
		return err
	}
	r := aimed(l.item, l.unit, l.unit.of(got[0].cpu), l.target, b.how(l))
	r.WallOurs = l.unit.of(got[0].wall)
	b.add(r)
	return b.profile(l.item, watch(do))
}

// with changes the effort; the result takes that back.
func (b *bench) with(e effort) func() {
	before := b.effort
	b.effort = e
	return func() { b.effort = before }
}

// newFilter returns a filter that has absorbed the shards.
func newFilter(kind string, columns cdf.Roles, settings string, shards ...*cdf.Batch) (*cdf.Filter, error) {
	k, ok := models.Lookup(kind)
	if !ok {
		return nil, errors.New("no kind is called " + kind)
	}
	spec, err := k.Spec("", columns, strictyaml.Decode(settings))
	if err != nil {
		return nil, err
	}
	f := cdf.NewFilter(spec, "key")
	for _, s := range shards {
		if _, err := f.Update(s); err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
	}
	return f, nil
}

// stream absorbs the shards in turn, each a new one.
func stream(f *cdf.Filter, shards ...*cdf.Batch) *here {
	turn := 0
	return ours(func() error {
		turn++
		b := shards[turn%len(shards)]
		renew(b)
		_, err := f.Update(b)
		return err
	}, 1)
}
