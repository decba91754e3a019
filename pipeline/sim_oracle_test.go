package pipeline

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The oracle says what a log must lead to. It is written from the guarantees
// and calls nothing of the product: not its envelope, its repeat table, its
// routing or its models.

// simBranch is one course of the log: what a topic held until it was
// recreated, truncated, or a gap in it was given up.
type simBranch struct {
	topic  string
	rows   int   // that a key gathers, 0: any number
	most   int64 // keys that begin with k, 0: any number
	fresh  int64 // of these that may be made in a minute, 0: any number
	sizes  int64 // of their states, 0: all
	minute simMinute
	was    []simMinute // after each record, by offset
	millis int64       // between the first of them and the last, 0: any time
	origin int64       // where the first worker began
	gaps   []Gap
	keys   map[string][]simKey // what each key came to be, in the order of the log
	outs   []*simOut           // by offset, nil: none
	times  []int64             // of the records, by offset
	told   []simEntry
	end    int64
}

// simKey is a key after a record.
type simKey struct {
	offset  int64
	present bool
	t, n    int64
	hash    uint64
	odd     bool
	time    int64
	gaps    int
	runs    []simRun
	waiting simWaiting
}

// simWaiting is what waits for a shard of a key.
type simWaiting struct {
	numbers        []int
	records        int
	offset, time   int64 // of the first record
	ended, endedAt int64 // offset and time of the last shard
	since          bool  // records came since
}

type simRun struct {
	id string
	n  uint64
}

// simOut is an output that must come.
type simOut struct {
	topic, stage string
	key, value   []byte
	time         int64
	came         bool
}

func (s *Sim) branch() *simBranch {
	return &simBranch{topic: s.log.id(), rows: s.Plan.Gather.Rows, most: s.Plan.Keys, fresh: s.Plan.PerMinute, sizes: s.Plan.Sizes, millis: s.Plan.Gather.Millis, keys: map[string][]simKey{}}
}

// at is a key below a watermark.
func (b *simBranch) at(key string, watermark int64) simKey {
	list := b.keys[key]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].offset < watermark {
			return list[i]
		}
	}
	return simKey{}
}

// add goes on with the next entry of the log.
func (b *simBranch) add(e *simEntry) {
	r := &e.record
	b.end++
	b.told = append(b.told, *e)
	b.outs, b.times = append(b.outs, nil), append(b.times, r.Time)
	defer func() { b.was = append(b.was, b.minute) }()
	before := 0
	for _, g := range b.gaps {
		if r.Offset >= g.From && r.Offset < g.To {
			return
		}
		if g.To <= r.Offset {
			before++
		}
	}
	if e.hidden || r.Offset < b.origin {
		return
	}
	if out := b.fold(r, before); out != nil {
		out.key, out.time = r.Key, r.Time
		b.outs[r.Offset] = out
	}
}

// alive counts the keys that begin with k below an offset.
func (b *simBranch) alive(offset int64) (n int64) {
	for key := range b.keys {
		if key[0] == 'k' && b.at(key, offset).present {
			n++
		}
	}
	return n
}

// fold applies a record and returns what must be told of it.
func (b *simBranch) fold(r *Record, gaps int) *simOut {
	dead := func(stage string) *simOut { return &simOut{topic: "dead", stage: stage, value: r.Value} }
	key := string(r.Key)
	switch {
	case r.Refused != nil:
		return dead("decode")
	case key == "" || key[0] != 'k' && key[0] != 'd':
		return dead("check")
	}
	s := b.at(key, r.Offset)
	if key[0] == 'k' && b.fresh > 0 {
		b.minute.hears(r.Time)
		had := s.present
		defer func() {
			if !had && b.at(key, r.Offset+1).present {
				b.minute.made++
			}
		}()
	}
	last := s.offset
	s.offset = r.Offset
	if r.Value == nil {
		b.keys[key] = append(b.keys[key], simKey{offset: r.Offset})
		return &simOut{topic: "out"}
	}
	if key[0] == 'k' && !s.present && (b.most > 0 && b.alive(r.Offset) >= b.most || b.fresh > 0 && b.minute.made >= b.fresh) {
		return dead("limit")
	}
	run, n, numbered := "", uint64(0), false
	for _, h := range r.Headers {
		if id, number, ok := strings.Cut(string(h.Value), "/"); h.Key == "credence-shard" && ok {
			v, err := strconv.ParseUint(number, 10, 64)
			run, n, numbered = id, v, err == nil
		}
	}
	at := slices.IndexFunc(s.runs, func(x simRun) bool { return x.id == run })
	if numbered && at >= 0 && n <= s.runs[at].n {
		return nil
	}
	var numbers []int
	for _, text := range strings.Fields(string(r.Value)) {
		v, err := strconv.Atoi(text)
		switch {
		case text == "!panic":
			return dead("fault")
		case text == "!numeric":
			return dead("numeric")
		case err != nil:
			return dead("decode")
		}
		numbers = append(numbers, v)
	}
	if slices.Contains(numbers, toyRefuses) {
		return dead("check")
	}
	waited := len(s.waiting.numbers) > 0
	refused := func(stage string, s simKey) *simOut {
		if waited {
			s.present, s.time = true, r.Time
			s.waiting.numbers = nil
			b.keys[key] = append(b.keys[key], s)
		}
		return dead(stage)
	}
	if numbers = b.gather(&s, last, numbers, r); numbers != nil {
		switch numbers[0] {
		case toyLoses:
			return refused("numeric", s)
		case toyPanics, toyBreaks:
			return refused("fault", s)
		}
	}
	before, sum, was := s.present && s.odd, 0, s
	for _, v := range numbers {
		s.hash = (s.hash*31 + uint64(v)) % toyModulo
		sum += v
	}
	if key[0] == 'k' && numbers != nil && b.sizes > 0 && int64(s.hash%toySizes) >= b.sizes {
		return refused("limit", was)
	}
	s.present, s.time = true, r.Time
	if numbers != nil {
		s.t, s.n, s.odd, s.gaps, s.waiting = s.t+1, s.n+int64(len(numbers)), sum%2 == 1, gaps, simWaiting{}
	}
	s.runs = slices.Clone(s.runs)
	if numbered {
		if at >= 0 {
			s.runs = slices.Delete(s.runs, at, at+1)
		} else if len(s.runs) == 8 {
			s.runs = s.runs[1:]
		}
		s.runs = append(s.runs, simRun{run, n})
	}
	b.keys[key] = append(b.keys[key], s)
	if numbers == nil {
		return nil
	}
	mean, weak := float64(s.hash), 0
	if key[0] == 'd' {
		mean = float64(s.hash%1000) + .5
		if s.odd {
			mean += toyApart / 2
		}
		if s.odd && (before || s.t == 1) {
			weak = 1
		}
	}
	return &simOut{topic: "out", value: []byte("t=" + strconv.FormatInt(s.t, 10) + " n=" + strconv.FormatInt(s.n, 10) +
		" v=" + strconv.FormatFloat(mean, 'g', -1, 64) + " weak=" + strconv.Itoa(weak) + " gaps=" + strconv.Itoa(s.gaps) +
		" at " + strconv.FormatInt(r.Offset, 10) + " " + strconv.FormatInt(r.Time, 10))}
}

// expects reports whether an output is the one that must come.
func (x *simOut) expects(o *Output) bool {
	if x.topic != o.Topic || x.time != o.Time || !bytes.Equal(x.key, o.Key) || !bytes.Equal(x.value, o.Value) {
		return false
	}
	return x.stage == "" && len(o.Headers) == 0 || len(o.Headers) == 2 && x.stage == string(o.Headers[0].Value)
}

// matches says in what a stored value is not this key, "" where it is.
func (s *simKey) matches(value []byte) string {
	if !s.present || value == nil {
		if s.present == (value != nil) {
			return ""
		}
		return fmt.Sprintf("stored is %t, want %t", value != nil, s.present)
	}
	if len(value) < 3 || string(value[:2]) != "CE" || value[2] < 1 || value[2] > 4 {
		return "not an envelope"
	}
	rest := value[3:]
	signed := func() int64 {
		v, n := binary.Varint(rest)
		rest = rest[max(n, 0):]
		return v
	}
	natural := func() uint64 {
		v, n := binary.Uvarint(rest)
		rest = rest[max(n, 0):]
		return v
	}
	offset, time, gaps := signed(), signed(), int(natural())
	if value[2] > 2 {
		signed() // an outlier, of which toys have none
	}
	var runs []simRun
	for range natural() {
		n := natural()
		id := string(rest[:n])
		rest = rest[n:]
		runs = append(runs, simRun{id, natural()})
	}
	if not := s.waiting.matches(value, rest); not != "" {
		return not
	}
	at := bytes.Index(rest, []byte(toyMagic))
	if at < 0 && s.t > 0 {
		return "no model in it"
	}
	word := func(i int) uint64 {
		if at < 0 {
			return 0
		}
		return binary.LittleEndian.Uint64(rest[at+len(toyMagic)+8*i:])
	}
	got := fmt.Sprint(offset, time, gaps, runs, word(0), word(1), word(2))
	if want := fmt.Sprint(s.offset, s.time, s.gaps, s.runs, s.t, s.n, s.hash); got != want {
		return fmt.Sprintf("it has offset, time, gaps, runs, shards, numbers and hash %s, want %s", got, want)
	}
	return ""
}
