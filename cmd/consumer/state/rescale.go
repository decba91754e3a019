package state

import (
	"encoding/hex"
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// conversion expresses exported states in the units of the configuration that they
// are imported under. Where from and to are the same there is nothing to do.
type conversion struct {
	from, to *pipeline.Rules
	file     string // of from
	work     *cdf.Workspace
	rescaled int
}

// conversion reads the configuration under which the states were made, the
// present one where none is named. What --set says is of the present one.
func (s *states) conversion(file string) (*conversion, error) {
	c := &conversion{from: s.Rules, to: s.Rules, file: file, work: cdf.NewWorkspace()}
	if file == "" {
		return c, nil
	}
	old, err := s.Load(&app.Flags{File: file})
	if err != nil {
		return nil, err
	}
	c.from, err = connect.NewRules(old)
	return c, err
}

// read reads a row as a worker does that loads it, so that none is refused only then: not one
// of a later release, and none that is damaged.
func (c *conversion) read(row *arrow.State) error {
	value, err := valueOf(row)
	if err != nil {
		return err
	}
	stored, err := pipeline.ParseStored(row.Key, value)
	if err != nil {
		return err
	}
	spec, _ := c.to.Match(row.Key)
	if err := c.work.NewFilter(spec, row.Key).UnmarshalBinary(stored.Snapshot); err != nil {
		return fmt.Errorf("key %q of partition %d: %w", row.Key, row.Partition, err)
	}
	return nil
}

// adopt records of a partition that the models to come made its states.
func (c *conversion) adopt(e *admin.Export) error {
	if c.from == c.to {
		return nil
	}
	if !c.from.SameModels(e.Config) {
		return fmt.Errorf("it was not made by the models of %s", c.file)
	}
	e.Config = c.to.Instead(e.Config)
	return nil
}

// convert changes the row of a key whose entry of models is another one.
func (c *conversion) convert(row *arrow.State) error {
	if c.from == c.to {
		return nil
	}
	from, _ := c.from.Match(row.Key)
	to, ok := c.to.Match(row.Key)
	if !ok {
		return fmt.Errorf("no entry of models matches key %q", row.Key)
	}
	if from.Fingerprint() == to.Fingerprint() {
		return nil
	}
	f := c.work.NewFilter(to, row.Key)
	if err := f.Rescale(row.Snapshot, from); err != nil {
		return fmt.Errorf("key %q of partition %d cannot be rescaled: %w; leave its entry of models as it was, or read the topic again with a new group",
			row.Key, row.Partition, err)
	}
	var err error
	if row.Snapshot, err = f.MarshalBinary(); err != nil {
		return fmt.Errorf("key %q of partition %d: %w", row.Key, row.Partition, err)
	}
	print := to.Fingerprint()
	row.Summary, row.Fingerprint = f.AppendSummary(nil), hex.EncodeToString(print[:])
	c.rescaled++
	return nil
}
