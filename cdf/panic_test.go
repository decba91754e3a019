package cdf_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/cdf/fault"
)

// A model that panics in the middle of a shard loses that shard and nothing else.
func TestPanicIsTheShards(t *testing.T) {
	spec := cdftest.Levels()
	build, armed := spec.New, false
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		m, err := build(d)
		return explosive{m, &armed}, err
	}
	f := cdf.NewFilter(spec, "k")
	shard := batch(num("y", 1, 2, 3), text("g", "a", "b", "a"))
	for range 3 {
		if _, err := f.Update(shard); err != nil {
			t.Fatal(err)
		}
		before, err := f.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		armed = true
		if _, err := f.Update(shard); fault.In(err) == nil || errors.Is(err, cdf.ErrNumeric) || !strings.Contains(err.Error(), "boom, in cdf_test.explosiveBlock.Sample (panic_test.go:") {
			t.Fatalf("error %v", err)
		}
		armed = false
		if after, err := f.AppendBinary(nil); err != nil || !bytes.Equal(before, after) {
			t.Fatalf("the filter has changed, %v", err)
		}
	}
}

// explosive panics after its statistics have changed.
type explosive struct {
	cdf.Model
	armed *bool
}

func (e explosive) Unwrap() cdf.Model { return e.Model }

func (e explosive) Blocks() []cdf.Block {
	var blocks []cdf.Block
	for _, b := range e.Model.Blocks() {
		blocks = append(blocks, explosiveBlock{b, e.armed})
	}
	return blocks
}

type explosiveBlock struct {
	cdf.Block
	armed *bool
}

func (b explosiveBlock) Sample(s *cdf.Step) error {
	if err := b.Block.Sample(s); err != nil || !*b.armed {
		return err
	}
	panic("boom")
}
