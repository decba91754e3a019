package simulate

import (
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// Data is the columns of one shard, Columns[j][i] row i of the column Names[j].
type Data struct {
	Names   []string
	Columns [][]float64
	// Whole names the columns of whole numbers, such as the labels of groups.
	Whole []string
}

// Append adds a column.
func (d *Data) Append(name string, values []float64) {
	d.Names, d.Columns = append(d.Names, name), append(d.Columns, values)
}

// Batch returns the columns as a batch of the given time, in milliseconds. It
// shares their numbers.
func (d *Data) Batch(time int64) *cdf.Batch {
	return d.batch(0, len(d.Columns[0]), time)
}

// Cut divides the rows into consecutive shards of nearly equal size, a second
// apart.
func (d *Data) Cut(shards int) []*cdf.Batch {
	var out []*cdf.Batch
	for t, rows := 0, len(d.Columns[0]); t < shards; t++ {
		out = append(out, d.batch(t*rows/shards, (t+1)*rows/shards, int64(1000*(t+1))))
	}
	return out
}

func (d *Data) batch(from, to int, time int64) *cdf.Batch {
	b := &cdf.Batch{Rows: to - from, Time: time}
	for j, name := range d.Names {
		c := cdf.Column{Name: name, Type: cdf.Float, Number: d.Columns[j][from:to:to]}
		if slices.Contains(d.Whole, name) {
			c.Type = cdf.Integer
			for _, v := range c.Number {
				c.Int = append(c.Int, int64(v))
			}
		}
		b.Columns = append(b.Columns, c)
	}
	return b
}
