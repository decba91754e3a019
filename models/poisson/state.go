package poisson

import (
	"encoding/binary"
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/codec"
)

// format is the first byte of both variants' state, ordered that of one that ends with the sums of order.
const format, ordered = 5, 6

// AppendBinary appends the format, the statistics, what is known of the rows' own
// effects, the numbers and rows behind the flags, the buffered rows, and what the order of the rows is judged by.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	if !m.Amended() { // as before there was an order
		return m.appendState(append(b, format)), nil
	}
	b = m.appendState(append(b, ordered))
	return codec.AppendFloats(b, m.order.counts, m.order.rates, m.order.curvature), nil
}

func (m *Model) appendState(b []byte) []byte {
	b = m.appendBase(b)
	b = codec.AppendFloats(b, m.over.s2)
	if m.over.s2 > 0 {
		b = codec.AppendFloats(b, m.over.like[:]...)
	}
	b = codec.AppendFloats(b, m.surplus.excess, m.surplus.variance, m.surplus.expected, m.odd, m.unresolved)
	b = binary.LittleEndian.AppendUint32(b, uint32(m.early.n))
	b = m.early.append(b)
	b = append(b, flag(m.held))
	return m.buffer.append(b)
}

// Amended implements cdf.Amended: releases before the sums of order do not read them.
func (m *Model) Amended() bool { return m.order != (order{}) }

// UnmarshalBinary replaces the state.
func (m *Model) UnmarshalBinary(b []byte) error {
	if len(b) < 1 || b[0] != format && b[0] != ordered {
		return codec.Error("poisson", "unknown format")
	}
	r := reader{b: b[1:], ok: true}
	m.readBase(&r)
	s2 := r.floats(1)
	over := rowVariance{}
	if r.ok {
		over.s2 = s2[0]
	}
	on := m.settings.Overdispersion == lognormal
	if over.s2 > 0 && on {
		copy(over.like[:], r.floats(overNodes))
	}
	sums := r.floats(5)
	m.early.read(&r, r.count(), &m.shape, &m.stats)
	held := r.flag()
	m.buffer.read(&r, &m.shape, &m.stats, on && !held)
	m.order = order{}
	if b[0] == ordered {
		if v := r.floats(3); r.ok {
			m.order = order{v[0], v[1], v[2]}
		}
	}
	if !r.ok || len(r.b) != 0 {
		return codec.Error("poisson", "wrong length or numbers")
	}
	m.over, m.surplus, m.odd, m.unresolved, m.held = over, surplus{sums[0], sums[1], sums[2]}, sums[3], sums[4], held
	if (m.over.s2 > 0) != on || m.over.s2 < 0 || m.early.n >= wildEnough || !held && len(m.buffer.shards) > m.settings.Buffer ||
		held && (!m.mayHold() || m.buffer.rows.n >= heldMost) || min(sums[1], sums[2], sums[3], sums[4], m.order.counts, m.order.rates, m.order.curvature) < 0 {
		return codec.Error("poisson", "state of other settings")
	}
	return nil
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}

// appendBase appends n, the precisions, the levels and the statistics.
func (m *base) appendBase(b []byte) []byte {
	s := &m.stats
	b = codec.AppendFloats(b, m.n)
	b = codec.AppendFloats(b, m.m...)
	b = binary.LittleEndian.AppendUint32(b, uint32(s.g))
	for _, at := range s.at {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(at)))
		for _, i := range at {
			b = binary.LittleEndian.AppendUint32(b, uint32(i))
		}
	}
	for i := range s.c {
		b = codec.AppendFloats(b, s.lam[i*s.c:i*s.c+i+1]...)
	}
	return codec.AppendAll(b, s.h, s.records)
}

func (m *base) readBase(r *reader) {
	m.post.ready = false
	s := newStats(&m.shape, m.stats.arrow)
	n := r.floats(1)
	precisions := r.floats(m.terms)
	levels := r.count()
	for f := range s.at {
		k := r.length()
		if f == 0 && s.arrow && k > 0 {
			r.ok = false
		}
		for range k {
			s.at[f] = append(s.at[f], int32(r.count()))
			s.c += m.factors[f].q
		}
	}
	s.term = extendTerms(s.term, s.c)
	for f, at := range s.at {
		for _, i := range at {
			for j := range m.factors[f].q {
				if k := int(i) + j; k < m.k || k >= s.c || s.term[k] >= 0 {
					r.ok = false
				} else {
					s.term[k] = int32(m.factors[f].term + j)
				}
			}
		}
	}
	if !r.ok || s.c > coreMax || s.c*(s.c+1)/2 > len(r.b)/8 || s.q == 0 && levels > 0 {
		r.ok = false
		return
	}
	s.lam = make([]float64, s.c*s.c)
	for i := range s.c {
		copy(s.lam[i*s.c:], r.floats(i+1))
	}
	s.h = r.floats(s.c)
	s.g = levels
	s.records = r.floats(levels * record(s.q, s.c))
	if !r.ok {
		return
	}
	for _, v := range precisions {
		r.ok = r.ok && v > 0
	}
	r.ok = r.ok && n[0] >= 0
	m.n, m.stats = n[0], s
	copy(m.m, precisions)
}

// extendTerms appends entries of beta up to n; those of factors follow.
func extendTerms(term []int32, n int) []int32 {
	for len(term) < n {
		term = append(term, -1)
	}
	return term
}

// append appends the rows of each buffered shard and the rows.
func (b *buffer) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(b.shards)))
	for _, n := range b.shards {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	}
	for k := range b.likes {
		dst = codec.AppendFloats(dst, b.likes[k][:]...)
	}
	return codec.AppendAll(b.rows.append(dst), b.rows.w, b.rows.g)
}

// append appends the rows but for their expansions.
func (r *rowStats) append(dst []byte) []byte {
	dst = codec.AppendAll(dst, r.y, r.offset, r.weight, r.x)
	dst = codec.AppendAll(dst, r.slopes...)
	for _, level := range r.level {
		for _, g := range level {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(g))
		}
	}
	return dst
}

func (b *buffer) read(r *reader, p *shape, s *stats, likes bool) {
	b.shards = b.shards[:0]
	n := 0
	for range r.length() {
		k := r.count()
		b.shards = append(b.shards, k)
		n += k
	}
	if !r.ok || n > len(r.b)/8 {
		r.ok = false
		return
	}
	b.likes = b.likes[:0]
	for range b.shards {
		if likes {
			var like rowLike
			copy(like[:], r.floats(overNodes))
			b.likes = append(b.likes, like)
		}
	}
	b.rows.read(r, n, p, s)
	b.rows.w, b.rows.g = r.floats(n), r.floats(n)
}

// read reads n rows but for their expansions.
func (r *rowStats) read(from *reader, n int, p *shape, s *stats) {
	r.reset(p)
	if !from.ok || n > len(from.b)/8 {
		from.ok = false
		return
	}
	r.n = n
	r.y, r.offset, r.weight, r.x = from.floats(n), from.floats(n), from.floats(n), from.floats(n*p.k)
	r.w, r.g = make([]float64, n), make([]float64, n)
	for f := range r.slopes {
		r.slopes[f] = from.floats(n)
	}
	for f := range r.level {
		r.level[f] = make([]int32, n)
		for i := range n {
			g := from.count()
			from.ok = from.ok && g < s.levels(f)
			r.level[f][i] = int32(g)
		}
	}
}

// reader takes a state apart. After the first failure ok is false and
// it returns zeros. It allocates no more than its bytes account for.
type reader struct {
	b  []byte
	ok bool
}

func (r *reader) count() int {
	if len(r.b) < 4 || !r.ok {
		r.ok = false
		return 0
	}
	n := binary.LittleEndian.Uint32(r.b)
	r.b = r.b[4:]
	if n > math.MaxInt32 {
		r.ok = false
		return 0
	}
	return int(n)
}

// flag reads one byte, 0 or 1.
func (r *reader) flag() bool {
	if len(r.b) < 1 || !r.ok || r.b[0] > 1 {
		r.ok = false
		return false
	}
	set := r.b[0] == 1
	r.b = r.b[1:]
	return set
}

// length reads the length of a list whose elements take at least 4 bytes.
func (r *reader) length() int {
	n := r.count()
	if n > len(r.b)/4 {
		r.ok = false
		return 0
	}
	return n
}

func (r *reader) floats(n int) []float64 {
	if !r.ok || n > len(r.b)/8 {
		r.ok = false
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.b[8*i:]))
	}
	r.b = r.b[8*n:]
	r.ok = lin.Finite(v...)
	return v
}

// Size returns the bytes held: the state and what follows from it.
func (m *Model) Size() int64 {
	numbers := (len(m.buffer.rows.y)+len(m.early.y))*(m.k+7) + (len(m.buffer.likes)+1)*overNodes
	return m.size() + 8*int64(numbers)
}

func (m *base) size() int64 {
	c := m.stats.c
	numbers := len(m.stats.records) + c*(c+2) + len(m.post.wt) + len(m.post.fewWt) + cap(m.post.laws.Rows)
	for _, normals := range [...][]gauss{m.post.gauss, m.post.few} {
		normals = normals[:cap(normals)] // what is beyond the length is used again
		for i := range normals {
			g := &normals[i]
			numbers += gaussWords + cap(g.m) + cap(g.b) + cap(g.l)
		}
	}
	for i := range m.post.vars {
		v := &m.post.vars[i]
		numbers += varianceWords + cap(v.l) + cap(v.f) + cap(v.fine) + cap(v.cum) + cap(v.second)
	}
	return 8*int64(numbers) + 1536
}

// gaussWords and varianceWords are the words of these structs themselves.
const (
	gaussWords    = 10
	varianceWords = 16
)
