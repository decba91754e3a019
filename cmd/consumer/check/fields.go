package check

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// fields says which fields the newest events have, and names the columns of the
// configuration that none of them has a value of: an event that lacks a column is
// no error, so that a slip in a name would show nowhere.
func (k *checker) fields(ctx context.Context, conn *connect.Connection) {
	whole := *conn
	whole.Reader = conn.Reader.Whole()
	var names []string // with a value
	err := whole.Sample(ctx, k.config, true, looked, func(s *connect.Sampled) bool {
		if s.Batch == nil {
			return true
		}
		for i := range s.Batch.Columns {
			if c := &s.Batch.Columns[i]; valued(c) && !slices.Contains(names, c.Name) {
				names = append(names, strings.Clone(c.Name))
			}
		}
		return len(names) < mostFields
	})
	if err != nil {
		k.add(levelError, "topic "+k.config.Kafka.Input, "allow this user to read the topic", "%v", err)
		return
	}
	for _, w := range conn.Reader.Wanted() {
		if !slices.Contains(names, w.Name) && len(names) < mostFields {
			k.add(levelWarning, "topic "+k.config.Kafka.Input, "correct the name in models, or input.payload; fields with values: "+shortened(names),
				"column %q of models has no value in the newest events: where a feature or group is missing the row is dropped", w.Name)
		}
	}
}

// mostFields is how many names are told apart.
const mostFields = 1000

// shortened joins the first few names.
func shortened(names []string) string { return strings.Join(cli.First(names, 20), ", ") }

// valued reports whether a column has a value that is not null.
func valued(c *cdf.Column) bool {
	if c.Type == cdf.Text {
		return len(c.Levels) > 0
	}
	return slices.ContainsFunc(c.Number, func(v float64) bool { return !math.IsNaN(v) })
}
