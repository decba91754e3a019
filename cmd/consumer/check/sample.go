package check

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/collinear"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/gather"
)

const (
	// looked is how many of the newest records check looks at.
	looked = 200
	// tried is how many shards of an entry of models, gathered of them where
	// input.coalesce says so, are folded into models that are thrown away: some
	// kinds take a second for a shard of many columns.
	tried = 20
)

// inspector looks at a sample of the input topic as the worker would. It is
// for one goroutine.
type inspector struct {
	names  cli.Names
	config *config.Config
	rules  *pipeline.Rules
	home   func(key []byte, n int) int32

	records, shards int
	braces          int     // values that cannot be read and begin as JSON does
	unread          trouble // values that are no shards
	keyless         trouble // keys that no model can have
	unmatched       trouble // keys of no model
	astray          trouble // keys in another partition than murmur2's
	models          []tryout
	keys            map[string]*folded
	met             map[string]bool // keys of shards
	work            *cdf.Workspace
}

// columnNamed finds the column that a refusal is about.
var columnNamed = regexp.MustCompile(`column ("(?:[^"\\]|\\.)*")`)

// folded is a key's model that is thrown away afterwards, with the rows that wait for
// its next shard.
type folded struct {
	filter  *cdf.Filter
	waiting *gather.Rows
	checked *cdf.Checked
}

// trouble counts records that have the same thing wrong with them.
type trouble struct {
	n     int
	first string
}

func (t *trouble) add(s *connect.Sampled, format string, args ...any) {
	if t.n++; t.n == 1 {
		t.first = fmt.Sprintf("partition %d, offset %d: ", s.Partition, s.Record.Offset) + fmt.Sprintf(format, args...)
	}
}

// tryout is what the records of one entry of models came to.
type tryout struct {
	shards  int // tried
	records int // that were in one of them or refused before
	refused trouble
	schema  bool     // the first was refused for its columns
	columns []string // of that one
	first   string   // why it was refused
	rows    collinear.Rows
}

func newInspector(names cli.Names, c *config.Config, rules *pipeline.Rules, home func([]byte, int) int32) *inspector {
	return &inspector{
		names: names, config: c, rules: rules, home: home, models: make([]tryout, len(c.Models)),
		keys: map[string]*folded{}, met: map[string]bool{}, work: cdf.NewWorkspace(),
	}
}

// readable says what to do about values that cannot be read.
func (i *inspector) readable() string {
	switch {
	case i.config.Input.Format != config.FormatArrow:
		return "compare input.format and input.payload with what producers send"
	case i.braces > 0:
		return "these look like JSON: set input.format: json, or send Arrow IPC streams"
	}
	return "send Arrow IPC streams: " + i.names.Producer + " replay makes them of files, pyarrow of tables"
}

// visit takes one record into account.
func (i *inspector) visit(s *connect.Sampled) bool {
	i.records++
	key := string(s.Record.Key)
	switch {
	case key == "" || len(key) > pipeline.MaxKey || !utf8.ValidString(key):
		i.keyless.add(s, "the key is %.40q", key)
		return true
	case s.Err != nil:
		i.unread.add(s, "%v", s.Err)
		if text := bytes.TrimSpace(bytes.TrimPrefix(s.Record.Value, []byte("\uFEFF"))); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
			i.braces++
		}
		return true
	case s.Batch == nil:
		return true
	}
	i.shards++
	i.met[key] = true
	if belongs := i.home(s.Record.Key, s.Partitions); belongs != s.Partition {
		i.astray.add(s, "key %q, which murmur2 puts into partition %d", key, belongs)
	}
	spec, ok := i.rules.Match(key)
	if !ok {
		i.unmatched.add(s, "key %q", key)
		return true
	}
	for j := range i.config.Models {
		if i.config.Models[j].Spec == spec {
			i.models[j].rows.Add(key, s.Batch)
			i.try(&i.models[j], spec, key, s)
		}
	}
	return true
}

// try folds the shard that ends with a record into a model that is thrown away afterwards.
func (i *inspector) try(t *tryout, spec *cdf.Spec, key string, s *connect.Sampled) {
	if t.shards == tried {
		return
	}
	m := i.keys[key]
	if m == nil {
		m = &folded{filter: i.work.NewFilter(spec, key)}
		i.keys[key] = m
	}
	at := gather.Mark{Offset: s.Record.Offset, Time: s.Record.Time}
	s.Batch.Time = at.Time
	whole, err := i.config.Input.Coalesce.Rule().Gather(m.filter, &m.waiting, &m.checked, at, s.Batch)
	records := 1
	if whole != nil {
		told := m.waiting.Tell()
		m.waiting, m.checked = nil, nil
		t.shards++
		if _, err = m.filter.Update(whole); told.Records > 0 {
			records = told.Records
			if err != nil {
				err = told.Lost(at.Offset, err)
			}
		}
	} else if err == nil {
		return
	}
	t.records += records
	if err == nil {
		return
	}
	if t.refused.n == 0 {
		t.schema, t.first = errors.Is(err, cdf.ErrSchema), err.Error()
		for c := range s.Batch.Columns {
			t.columns = append(t.columns, strings.Clone(s.Batch.Columns[c].Name))
		}
	}
	t.refused.add(s, "key %q: %v", key, err)
	t.refused.n += records - 1
}

// report adds what was found.
func (i *inspector) report(k *checker) {
	subject, before := "topic "+i.config.Kafka.Input, len(k.findings)
	if i.records == 0 {
		k.add(levelNote, subject, "", "is empty: whether its columns fit the configuration is not known yet")
		return
	}
	share := func(n, of int) level {
		if n == of {
			return levelError
		}
		return levelWarning
	}
	if t := i.unread; t.n > 0 {
		k.add(share(t.n, i.records), subject, i.readable(),
			"%d of the %d newest records are not %s and go to the dead letters; the first: %s", t.n, i.records, i.config.Input.Units(), t.first)
	}
	if t := i.keyless; t.n > 0 {
		k.add(share(t.n, i.records), subject, "give every record a key, the name of its model: 1 to 512 bytes of UTF-8",
			"%d of the %d newest records have no usable key and go to the dead letters; the first: %s", t.n, i.records, t.first)
	}
	if t := i.astray; t.n > 0 {
		k.add(levelWarning, "producers", "set partitioner=murmur2_random in producers made with librdkafka; then send the key's shards again to a new topic",
			"%d of the %d newest shards are not where murmur2 puts their keys, and a key's shards may be spread over two models; the first: %s", t.n, i.shards, t.first)
	}
	if t := i.unmatched; t.n > 0 {
		k.add(share(t.n, i.shards), "models", `add an entry whose match fits, or end the list with match: "**"`,
			"%d of the %d newest shards match no entry of models and go to the dead letters; the first: %s", t.n, i.shards, t.first)
	}
	units, fate := "shards", "go to the dead letters"
	if i.config.Input.Coalesce.Rule().On() {
		units, fate = "records", "go to the dead letters, or be let go with one that does"
	}
	for j := range i.models {
		if t := &i.models[j]; t.refused.n > 0 {
			k.add(share(t.refused.n, t.records), fmt.Sprintf("models[%d]", j), i.fix(j), "%d of the %d newest %s that match %q would %s; the first: %s",
				t.refused.n, t.records, units, i.config.Models[j].Match, fate, t.refused.first)
		}
	}
	if len(k.findings) == before {
		k.add(levelOK, subject, "", "the %d newest %s fit the configuration", i.shards, i.config.Input.Units())
	}
	i.waits(k)
	i.follow(k)
	i.values(k)
}

// follow names features of which a model cannot tell the effect, for others say the same.
func (i *inspector) follow(k *checker) {
	for j := range i.models {
		spec := i.config.Models[j].Spec
		key := "columns.features"
		if i.config.Models[j].Formula != "" {
			key = "formula"
		}
		for _, f := range i.models[j].rows.Find(&spec.Columns, spec.Missing) {
			if f.Column == cmp.Or(spec.Columns.Response.Name, "y") {
				k.add(levelWarning, fmt.Sprintf("models[%d]", j), fmt.Sprintf("leave what it is made of out of models[%d].%s", j, key),
					"the response %q %s: the other columns explain nothing beside that", f.Column, f.Words())
				continue
			}
			k.add(levelWarning, fmt.Sprintf("models[%d]", j), fmt.Sprintf("leave %q out of models[%d].%s, or what it follows from", f.Column, j, key),
				"%q %s: whose the effect is cannot be told, and the intervals of all of them stay about as wide as the prior's", f.Column, f.Words())
		}
	}
}

// waits adds how many rows were left without a shard: of them it is not known whether the
// model takes what they will be a part of.
func (i *inspector) waits(k *checker) {
	keys, rows := 0, 0
	for _, m := range i.keys {
		if n := m.waiting.Tell().Rows; n > 0 {
			keys, rows = keys+1, rows+n
		}
	}
	if keys > 0 {
		k.add(levelNote, "topic "+i.config.Kafka.Input, "", "%s of the newest records, of %s, wait for a shard (input.coalesce): whether a model takes it is not known yet", cli.Plural(rows, "row"), cli.Plural(keys, "key"))
	}
}

// fix says what to do about shards that a model refuses.
func (i *inspector) fix(j int) string {
	m := &i.config.Models[j]
	t := &i.models[j]
	key := "columns"
	if m.Formula != "" {
		key = "formula"
	}
	if t.schema {
		return fmt.Sprintf("correct models[%d].%s; the columns in the topic are %s", j, key, shortened(t.columns))
	}
	if named := columnNamed.FindStringSubmatch(t.first); named != nil && named[1] != strconv.Quote(cmp.Or(m.Spec.Columns.Response.Name, "y")) {
		return fmt.Sprintf("correct %s where it is sent, or leave it out of models[%d].%s; other and missing say what becomes of levels that are not listed, and of missing values", named[1], j, key)
	}
	k, _ := i.config.Kinds.Lookup(m.Kind)
	return fmt.Sprintf("choose another models[%d].kind, or another columns.response than %q: kind %s takes %s; or correct what producers send",
		j, m.Spec.Columns.Response.Name, m.Kind, k.Response.Numbers())
}
