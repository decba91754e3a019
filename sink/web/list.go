package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/web/token"
)

const (
	defaultPage = 100
	keyPage     = 10_000 // keys of a page with fields=key
	entryPage   = 500    // keys of a page with their posteriors
	maxAsked    = 200    // keys that are asked for by name
	maxScan     = 50_000 // keys that one request looks at
	scanChunk   = 2_000  // keys of a partition read at once to be filtered
	restorers   = 4      // states that one request restores at once
	listed64    = 64     // variables of an entry, as of a point
)

// flagNames are the words of the document.
var flagNames = []string{"weak_r_hat", "low_ess", "poor_calibration", "prior_dominated", "model"}

// filter says which keys a list is about.
type filter struct {
	scope                               token.Scope
	prefix, contains, kind, flag, after string
	from, to                            int64    // times of records, see live.Wanted
	sort                                string   // one of sorts; "": byte order
	keys                                []string // asked for by name; nil: all
	limit                               int
	brief                               bool // keys alone
	variables                           func(string) bool
}

func (s *Server) readFilter(r *http.Request) (filter, error) {
	q := newQuery(r)
	f := filter{
		scope:  scopeOf(r),
		prefix: q.text("prefix", keyLimit, ""), contains: lower(q.text("contains", keyLimit, "")),
		kind: q.choice("kind", s.options.Kinds.Names()...), flag: q.choice("flag", flagNames...), after: q.text("after", keyLimit, ""),
		from: q.moment("from"), to: q.moment("to"), sort: q.choice("sort", sorts...),
		keys: q.all("key", maxAsked, keyLimit), limit: q.integer("limit", 1, keyPage, defaultPage),
		brief: q.choice("fields", "all", "key") == "key", variables: variables(q.text("variables", 2000, "**")),
	}
	if slices.Contains(f.keys, "") {
		q.fail("key: a key is not empty")
	}
	if !f.brief {
		f.limit = min(f.limit, entryPage)
	}
	if err := q.err(); err != nil {
		return f, err
	}
	if f.sort != "" && f.after != "" {
		return f, refuse(http.StatusUnprocessableEntity, "unfit", "after: a list that is sorted has one page, of at most %d keys", keyPage)
	}
	return f, nil
}

// lower is strings.ToLower of ASCII letters alone.
func lower(s string) string {
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, s)
}

// passes reports whether a key is asked for, its flags aside.
func (f *filter) passes(s Store, key string) bool {
	if !f.scope.Sees(key) || !strings.HasPrefix(key, f.prefix) || f.after != "" && key <= f.after || f.contains != "" && !strings.Contains(lower(key), f.contains) {
		return false
	}
	if f.kind == "" {
		return true
	}
	rule, ok := s.Rule(key)
	return ok && rule.Spec.Kind == f.kind
}

// list answers /v1/models.
func (s *Server) list(w http.ResponseWriter, r *http.Request) error {
	f, err := s.readFilter(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), lookupTimeout)
	defer cancel()
	metas, err := s.options.Store.Metas(ctx)
	if err != nil {
		return err
	}
	total, err := s.total(ctx, metas, f.scope)
	if err != nil {
		return err
	}
	var keys []string
	more := ""
	if len(f.keys) > 0 || f.seen() {
		keys, more = s.chosen(&f)
	} else if keys, more, err = s.scan(ctx, &f, len(metas)); err != nil {
		return err
	}
	o := newObject()
	if err := s.appendList(ctx, &o, &f, keys); err != nil {
		return err
	}
	if more == "" {
		o.raw("next", null)
	} else {
		o.text("next", more)
	}
	o.count("total", total)
	writeTagged(w, r, jsonType, o.line())
	return nil
}

// total counts the keys of a scope.
func (s *Server) total(ctx context.Context, metas []pipeline.Meta, scope token.Scope) (total int64, err error) {
	for id, m := range metas {
		n := m.Keys
		if scope.Prefix != "" {
			if n, err = s.options.Store.Count(ctx, int32(id), scope.Prefix); err != nil {
				return 0, err
			}
		}
		total += n
	}
	return total, nil
}

// scan walks the keys of the store and returns a page of those that pass, and
// the key after which the next page begins, "" for none.
func (s *Server) scan(ctx context.Context, f *filter, partitions int) (page []string, more string, err error) {
	filtered := f.contains != "" || f.kind != ""
	chunk := scanChunk
	if !filtered {
		chunk = min(scanChunk, f.limit/max(partitions, 1)+16)
	}
	prefix, any := f.scope.Within(f.prefix)
	if !any {
		return nil, "", nil
	}
	m := newMerge(s.options.Store, partitions, prefix, f.after, chunk)
	last := ""
	for seen := 0; ; seen++ {
		l, ok, err := m.next(ctx)
		if err != nil || !ok {
			return page, "", err
		}
		if len(page) == f.limit || seen == maxScan {
			return page, last, nil
		}
		if last = l.key; f.passes(s.options.Store, l.key) {
			page = append(page, l.key)
		}
	}
}

// appendList appends the entries of keys. Those without a model are left out,
// also of keys alone that were asked for by name.
func (s *Server) appendList(ctx context.Context, o *object, f *filter, keys []string) error {
	entries := make([][]byte, len(keys))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(restorers)
	for i, key := range keys {
		if f.brief && f.keys == nil {
			entries[i] = f.entry(brief{key: key})
			continue
		}
		g.Go(func() (err error) {
			entries[i], err = s.entry(ctx, f, key)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	o.begin("models")
	for _, e := range entries {
		if e != nil {
			o.next()
			o.value(append(o.b, e...))
		}
	}
	o.end()
	return nil
}

// entry returns the entry of a key: of the feed where it knows the key, else
// of the store; nil where neither has it.
func (s *Server) entry(ctx context.Context, f *filter, key string) ([]byte, error) {
	now, known := s.options.Feed.Latest(key)
	if known {
		p := now.Point
		return f.entry(brief{
			key: key, kind: p.Kind, variant: p.Variant, partition: p.Partition, owned: true, t: p.T, n: p.N, offset: p.Offset, time: p.Time,
			names: p.Names, numbers: p.Numbers, coverage: now.Sums.Coverage95(), scored: now.Sums.Rows, flags: now.Flags,
		}), nil
	}
	m, err := s.options.Store.Model(ctx, key)
	if errors.Is(err, pipeline.ErrDamaged) || errors.Is(err, cdf.ErrSnapshot) || errors.Is(err, cdf.ErrNumeric) {
		o := newObject()
		o.text("key", key)
		if !f.brief {
			o.truth("damaged", true)
		}
		o.close()
		return o.b, nil
	}
	if err != nil || m == nil {
		return nil, err
	}
	p, sum := m.Posterior, m.Posterior.Summary
	b := brief{
		key: key, kind: p.Kind, variant: p.Variant, partition: p.Source.ID, owned: s.options.Feed.Owned(p.Source.ID),
		t: sum.T, n: sum.N, offset: p.Offset, time: p.Time, coverage: undefined, flags: []string{},
	}
	b.names, b.numbers = flat(sum.Rows[:min(len(sum.Rows), listed64)])
	return f.entry(b), nil
}

// brief is a posterior in short.
type brief struct {
	key, kind, variant string
	partition          int32
	owned              bool
	t, n, offset, time int64
	names              []string
	numbers            []float64
	coverage           float64
	scored             int64
	flags              []string
}

func (f *filter) entry(b brief) []byte {
	o := newObject()
	o.text("key", b.key)
	if !f.brief {
		o.text("kind", b.kind)
		o.text("variant", b.variant)
		o.count("partition", int64(b.partition))
		o.truth("owned", b.owned)
		o.count("t", b.t)
		o.count("n", b.n)
		o.count("offset", b.offset)
		o.time("time", b.time)
		o.number("coverage95", b.coverage)
		o.count("scored_rows", b.scored)
		o.texts("flags", b.flags)
		o.rows("posterior", b.names, b.numbers, f.variables)
	}
	o.close()
	return o.b
}
