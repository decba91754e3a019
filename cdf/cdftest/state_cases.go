package cdftest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

func stateCases() []Case {
	return []Case{
		{"atomic", "a refused shard changes nothing: the snapshot stays, and so does everything after it", atomic},
		{"undo", "when the last block fails the model goes back to its bytes: what AppendBinary leaves out must not matter", undone},
		{"round trip", "a filter restored from its snapshot goes on with the same bits, at every shard", roundTrip},
		{"rerun", "the same shards give the same bits, whatever other keys do in between", rerun},
		{"bounded", "the state does not grow with the stream", bounded},
		{"hostile", "damaged snapshots are refused with ErrSnapshot and never panic", hostile},
		{"read only", "Check, Score, Predict and LogEvidence only read", onlyReads},
		{"checked", "Check refuses what Update refuses, for the same reason, and changes nothing; rows that it admits apart are admitted together", checked},
		{"empty shard", "a shard without a usable row is a shard: t+1, n+0, published, also as the first", emptyShard},
		{"null responses", "rows without a response are counted and change nothing else", nullResponses},
		{"binding", "columns bind by name: order and extra columns do not matter", binding},
	}
}

// refused returns shards that must be refused, made from a good one.
func refused(spec *cdf.Spec, good *cdf.Batch) map[string]*cdf.Batch {
	y := response(spec, good)
	return map[string]*cdf.Batch{
		"no rows": edited(good, func(b *cdf.Batch) {
			b.Rows = 0
			for i := range b.Columns {
				c := &b.Columns[i]
				c.Number, c.Int, c.Code = nil, nil, nil
			}
		}),
		"infinite response":  edited(good, func(b *cdf.Batch) { b.Columns[y].Number[b.Rows-1] = math.Inf(1) }),
		"no response column": edited(good, func(b *cdf.Batch) { b.Columns[y].Name = "another" }),
		"text response": edited(good, func(b *cdf.Batch) {
			b.Columns[y] = cdf.Column{Name: b.Columns[y].Name, Type: cdf.Text, Code: make([]int32, b.Rows), Levels: []string{"a"}}
		}),
		"one name twice": edited(good, func(b *cdf.Batch) { b.Columns = append(b.Columns, b.Columns[y]) }),
	}
}

func atomic(s Suite) error {
	shards := s.Shards(1, 30)
	_, want, err := run(s.New(), shards)
	if err != nil {
		return err
	}
	spec := s.New()
	f := cdf.NewFilter(spec, key)
	bad := refused(spec, shards[0])
	names := []string{"no rows", "infinite response", "no response column", "text response", "one name twice"}
	for i, b := range shards {
		before, err := f.AppendBinary(nil)
		if err != nil {
			return err
		}
		for _, name := range names {
			_, err := f.Update(bad[name])
			if !errors.Is(err, cdf.ErrSchema) && !errors.Is(err, cdf.ErrShard) {
				return fmt.Errorf("shard %d: %s: got %s", i+1, name, text(err))
			}
			after, err := f.AppendBinary(nil)
			if err == nil {
				err = same(fmt.Sprintf("shard %d, %s", i+1, name), after, before)
			}
			if err != nil {
				return err
			}
		}
		if _, err := f.Update(b); err != nil {
			return err
		}
		after, err := f.AppendBinary(nil)
		if err == nil {
			err = same(fmt.Sprintf("after shard %d", i+1), after, want[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func undone(s Suite) error {
	shards := s.Shards(2, 40)
	_, want, err := run(s.New(), shards)
	if err != nil {
		return err
	}
	armed := false
	f := cdf.NewFilter(withFaults(s.New(), &armed), key)
	for i, b := range shards {
		armed = true
		if _, err := f.Update(shards[len(shards)-1-i]); !errors.Is(err, cdf.ErrNumeric) {
			return fmt.Errorf("shard %d: a failing block gave %s", i+1, text(err))
		}
		armed = false
		if _, err := f.Update(b); err != nil {
			return err
		}
		got, err := f.AppendBinary(nil)
		if err == nil {
			err = same(fmt.Sprintf("after shard %d", i+1), got, want[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func roundTrip(s Suite) error {
	if err := roundTripOf(s.New, s.Shards(3, 40)); err != nil {
		return err
	}
	// Once more with forgetting and shards without a usable row.
	forgets := func() *cdf.Spec {
		spec := s.New()
		spec.Forget = .9
		return spec
	}
	shards := s.Shards(3, 40)
	for i := 1; i < len(shards); i += 4 {
		shards[i] = silent(forgets(), shards[i])
	}
	if err := roundTripOf(forgets, shards); err != nil {
		return fmt.Errorf("with forgetting: %w", err)
	}
	return nil
}

func roundTripOf(newSpec func() *cdf.Spec, shards []*cdf.Batch) error {
	_, want, err := run(newSpec(), shards)
	if err != nil {
		return err
	}
	f := cdf.NewFilter(newSpec(), key)
	for i, b := range shards {
		sum, err := f.Update(b)
		if err != nil {
			return err
		}
		published, stored := print(sum), f.AppendSummary(nil)
		snap, err := f.AppendBinary(nil)
		if err == nil {
			err = same(fmt.Sprintf("shard %d after a restore", i+1), snap, want[i])
		}
		if err != nil {
			return err
		}
		f = cdf.NewFilter(newSpec(), key)
		if err := f.UnmarshalBinary(snap); err != nil {
			return fmt.Errorf("shard %d: %w", i+1, err)
		}
		again, err := f.AppendBinary(nil)
		if err == nil {
			err = same(fmt.Sprintf("shard %d, restored", i+1), again, snap)
		}
		if err != nil {
			return err
		}
		if !f.SelfDescribing() {
			if err := f.RestoreSummary(stored); err != nil {
				return fmt.Errorf("shard %d: the summary: %w", i+1, err)
			}
		}
		if sum, err = f.Summary(); err != nil {
			return err
		}
		if print(sum) != published {
			return fmt.Errorf("shard %d: the summary after a restore differs:\n%s\n%s", i+1, print(sum), published)
		}
	}
	return nil
}

func rerun(s Suite) error {
	a, b := s.Shards(4, 30), s.Shards(5, 30)
	_, wantA, err := run(s.New(), a)
	if err != nil {
		return err
	}
	spec := s.New()
	f, g := cdf.NewFilter(spec, key), cdf.NewFilter(spec, "another")
	for i := range a {
		if i%3 == 0 { // a view kept from an earlier shard now differs from its buffer
			w := cdf.NewWorkspace()
			f.Share(w)
			g.Share(w)
		}
		view := clone(a[i])
		if _, err := f.Update(view); err != nil {
			return err
		}
		scribble(view)
		if _, err := g.Update(b[i]); err != nil {
			return err
		}
		got, err := f.AppendBinary(nil)
		if err == nil {
			err = same(fmt.Sprintf("shard %d beside another key", i+1), got, wantA[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scribble overwrites the numbers of a batch, as a decoder does that reuses
// its buffers.
func scribble(b *cdf.Batch) {
	for _, c := range b.Columns {
		for i := range c.Number {
			c.Number[i] = math.Inf(1)
		}
		for i := range c.Int {
			c.Int[i] = math.MinInt64
		}
		for i := range c.Code {
			c.Code[i] = -1
		}
	}
}

func bounded(s Suite) error {
	shards := s.Shards(6, 30)
	f := cdf.NewFilter(s.New(), key)
	var early []byte
	var size int64
	for t := 1; t <= 400; t++ {
		if _, err := f.Update(shards[(t-1)%len(shards)]); err != nil {
			return err
		}
		if t == 100 {
			var err error
			if early, err = f.AppendBinary(nil); err != nil {
				return err
			}
			size = f.Size()
		}
	}
	late, err := f.AppendBinary(nil)
	if err != nil {
		return err
	}
	// The counters are varints, which take a byte or two more.
	if len(late) > len(early)+8 || f.Size() > size+size/20+64 {
		return fmt.Errorf("%d bytes in a snapshot of %d at shard 100, %d in %d at shard 400", size, len(early), f.Size(), len(late))
	}
	return nil
}

func hostile(s Suite) error {
	f, snaps, err := run(s.New(), s.Shards(7, 40))
	if err != nil {
		return err
	}
	for _, snap := range [][]byte{snaps[0], snaps[len(snaps)-1]} {
		g := cdf.NewFilter(s.New(), key)
		for _, i := range spread(len(snap)) {
			if err := g.UnmarshalBinary(snap[:i]); !errors.Is(err, cdf.ErrSnapshot) {
				return fmt.Errorf("%d of %d bytes gave %s", i, len(snap), text(err))
			}
			damaged := bytes.Clone(snap)
			damaged[i] ^= 0x41
			if err := g.UnmarshalBinary(damaged); !errors.Is(err, cdf.ErrSnapshot) {
				return fmt.Errorf("damage at byte %d gave %s", i, text(err))
			}
			// With a checksum that fits, only panics and silence about
			// what cannot be read are wrong.
			if err := g.UnmarshalBinary(sealed(damaged)); err != nil && !errors.Is(err, cdf.ErrSnapshot) {
				return fmt.Errorf("damage at byte %d under a good checksum gave %s", i, text(err))
			}
			if err := g.UnmarshalBinary(sealed(slices.Insert(damaged, len(damaged)-4, damaged[i]))); err == nil {
				return fmt.Errorf("a byte too many was accepted")
			}
		}
	}
	before, err := f.AppendBinary(nil)
	if err != nil {
		return err
	}
	if f.UnmarshalBinary(before[:len(before)/2]) == nil {
		return errors.New("half a snapshot was accepted")
	}
	after, err := f.AppendBinary(nil)
	if err != nil {
		return err
	}
	if err := same("after a refused snapshot", after, before); err != nil {
		return err
	}
	return modelRefuses(s)
}

// modelRefuses checks that the model itself refuses bytes of another length.
func modelRefuses(s Suite) error {
	spec := s.New()
	inner := spec.New
	var models []cdf.Model
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		m, err := inner(d)
		models = append(models, m)
		return m, err
	}
	if _, _, err := run(spec, s.Shards(7, 40)); err != nil {
		return err
	}
	b, err := models[len(models)-1].AppendBinary(nil)
	if err != nil {
		return err
	}
	for _, damaged := range [][]byte{nil, b[:len(b)-1], append(bytes.Clone(b), 0)} {
		if err := models[0].UnmarshalBinary(damaged); !errors.Is(err, cdf.ErrSnapshot) {
			return fmt.Errorf("the model took %d bytes for %d: %s", len(damaged), len(b), text(err))
		}
	}
	return nil
}

// sealed returns the snapshot with a checksum that fits.
func sealed(snap []byte) []byte {
	b := bytes.Clone(snap[:len(snap)-4])
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// spread returns up to about 400 positions below n, the first 200 among them.
func spread(n int) []int {
	var at []int
	for i := 0; i < n; i += 1 + max(0, i-200)*n/40_000 {
		at = append(at, i)
	}
	return at
}

func onlyReads(s Suite) error {
	var found error
	if _, _, err := run(withReadOnly(s.New(), &found), s.Shards(8, 30)); err != nil {
		return err
	}
	return found
}
