//go:build unix

package interop

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/internal/rscript"
)

// draws returns the columns of the newest draws of a key, by name, in order.
func (w *world) draws(t *testing.T, key string) (names []string, columns [][]float64) {
	t.Helper()
	topic := w.arrow.output + ".draws"
	var value []byte
	greatest := int64(-1)
	for _, r := range w.read(t, topic, messages(true)+repeats) {
		i := slices.IndexFunc(r.Headers, func(h kgo.RecordHeader) bool { return h.Key == "ce_id" })
		offset := integer(t, strings.TrimSuffix(string(r.Headers[i].Value), "/draws"))
		if string(r.Key) == key && offset > greatest {
			greatest, value = offset, r.Value
		}
	}
	reader, err := ipc.NewReader(bytes.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Release()
	batch, err := reader.Read()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range reader.Schema().Fields() {
		column := make([]float64, batch.NumRows())
		switch c := batch.Column(i).(type) {
		case *array.Float64:
			copy(column, c.Float64Values())
		case *array.Int64:
			for j, v := range c.Int64Values() {
				column[j] = float64(v)
			}
		default:
			t.Fatalf("column %s is %s", f.Name, c.DataType())
		}
		names, columns = append(names, f.Name), append(columns, column)
	}
	return names, columns
}

// csv returns the newest draws of a key as the example prints them.
func (w *world) csv(t *testing.T, key string) string {
	t.Helper()
	return run(t, nil, python(t), example(t, "python/draws_to_csv.py"),
		"--brokers", w.broker(), "--topic", w.arrow.output+".draws", "--key", key)
}

// pyarrowReadsDraws compares every draw of every key.
func pyarrowReadsDraws(t *testing.T, w *world) {
	for _, s := range streams {
		key := s[1] + "1"
		names, columns := w.draws(t, key)
		text := w.csv(t, key)
		lines := parseLines(t, text, ',')
		header, _, _ := strings.Cut(strings.ReplaceAll(text, `"`, ""), "\n")
		if header != strings.Join(names, ",") || !slices.Equal(names[:3], []string{".chain", ".iteration", ".draw"}) {
			t.Errorf("%s: columns %s, want %q", key, header, names)
		}
		if len(lines) != len(columns[0]) || len(lines) < 500 {
			t.Fatalf("%s: %d draws, want %d", key, len(lines), len(columns[0]))
		}
		for i, line := range lines {
			for j, name := range names {
				if !equal(number(t, line[name]), columns[j][i]) {
					t.Fatalf("%s: draw %d of %s is %s, want %v", key, i, name, line[name], columns[j][i])
				}
			}
		}
	}
}

// diagnosed are the keys whose draws are Markov chains. Where the mean is that
// of the draws so is its Monte Carlo error; where it is an average of
// conditional means (Rao-Blackwell) the error is that of these, which are not
// published.
var diagnosed = []struct {
	key       string
	mcse      bool
	variables int // at least, with diagnostics
	// repeats says that draws repeat values. ArviZ may round a quantile between
	// two equal draws to below them, and count neither as in the tail: R's
	// posterior does not, and is what ess_tail is compared with then.
	repeats bool
}{
	{"anova/1", false, 3, false},
	{"anova/paper1", true, 3, false},
	{"probit/1", false, 3, false},
	{"dlm/1", true, 4, true},
}

// within is how far statistics of other programs may be from ours, relatively.
const within = 1e-6

// agree compares one key's statistics, as another program computed them from
// the draws, with those in the posterior.
func agree(t *testing.T, w *world, key string, lines []map[string]string, mcse, tail bool, variables int) {
	t.Helper()
	names := []string{"ess_bulk", "r_hat"}
	if mcse {
		names = append(names, "mcse_mean")
	}
	if tail {
		names = append(names, "ess_tail")
	}
	compared := 0
	for _, line := range lines {
		ours := w.newest(t, key).variable(t, line["variable"])
		if math.IsNaN(ours["r_hat"]) {
			continue // a closed form, whose draws are independent
		}
		compared++
		for _, name := range names {
			if got := number(t, line[name]); !(math.Abs(got-ours[name]) <= within*math.Abs(ours[name])) {
				t.Errorf("%s: %s of %s is %.12g there and %.12g here", key, name, line["variable"], got, ours[name])
			}
		}
	}
	if compared < variables {
		t.Errorf("%s: diagnostics of %d variables compared, want at least %d", key, compared, variables)
	}
}

func arvizReadsDraws(t *testing.T, w *world) {
	out := run(t, nil, python(t), example(t, "python/summarise_draws.py"), "--brokers", w.broker(), "--topic", w.arrow.output+".draws")
	lines := parseLines(t, out, ',')
	for _, d := range diagnosed {
		var of []map[string]string
		for _, line := range lines {
			if line["key"] == d.key {
				of = append(of, line)
			}
		}
		agree(t, w, d.key, of, d.mcse, !d.repeats, d.variables)
	}
}

func rReadsDraws(t *testing.T, w *world) {
	for _, d := range diagnosed {
		out := rscript.Run(t, []string{"posterior"}, source(t, "r/summarise_draws.R"), strings.NewReader(w.csv(t, d.key)))
		agree(t, w, d.key, parseLines(t, out, ','), d.mcse, true, d.variables)
	}
}
