package arrow

import "encoding/binary"

var le = binary.LittleEndian

// flat reads a FlatBuffers buffer that nobody has checked. Every access is
// held against the bytes present; the first that does not fit sets bad, and
// from then on answers are zero. The caller looks at bad before it uses what
// it read.
type flat struct {
	b   []byte
	bad bool
}

// table is the position of a table and of its vtable, which is known to lie
// within the buffer. The zero table has no fields. The size of a table that
// the vtable states is of no use: writers share vtables among tables of the
// same offsets and different sizes.
type table struct {
	pos      int
	vt, vlen int // of the vtable: first byte, bytes
}

// u32 returns the unsigned number at pos.
func (f *flat) u32(pos int) int {
	if pos < 0 || pos > len(f.b)-4 {
		f.bad = true
		return 0
	}
	return int(le.Uint32(f.b[pos:]))
}

// root returns the table that the first four bytes point to.
func (f *flat) root() table { return f.table(f.u32(0)) }

// table returns the table at pos.
func (f *flat) table(pos int) table {
	if f.bad || pos < 4 || pos > len(f.b)-4 {
		f.bad = true
		return table{}
	}
	vt := pos - int(int32(le.Uint32(f.b[pos:])))
	if vt < 0 || vt > len(f.b)-4 {
		f.bad = true
		return table{}
	}
	t := table{pos: pos, vt: vt, vlen: int(le.Uint16(f.b[vt:]))}
	if t.vlen < 4 || t.vlen&1 != 0 || t.vlen > len(f.b)-vt {
		f.bad = true
		return table{}
	}
	return t
}

// field returns the position of field i, width bytes wide, or 0 where the
// field is absent.
func (f *flat) field(t table, i, width int) int {
	o := 4 + 2*i
	if o+2 > t.vlen {
		return 0
	}
	off := int(le.Uint16(f.b[t.vt+o:]))
	if off == 0 {
		return 0
	}
	if off < 4 || off+width > len(f.b)-t.pos {
		f.bad = true
		return 0
	}
	return t.pos + off
}

// u8, i16, i32 and i64 return scalar fields, or the default where absent.
func (f *flat) u8(t table, i int, absent byte) byte {
	if p := f.field(t, i, 1); p != 0 {
		return f.b[p]
	}
	return absent
}

func (f *flat) i16(t table, i int, absent int16) int16 {
	if p := f.field(t, i, 2); p != 0 {
		return int16(le.Uint16(f.b[p:]))
	}
	return absent
}

func (f *flat) i32(t table, i int) int32 {
	if p := f.field(t, i, 4); p != 0 {
		return int32(le.Uint32(f.b[p:]))
	}
	return 0
}

func (f *flat) i64(t table, i int) int64 {
	if p := f.field(t, i, 8); p != 0 {
		return int64(le.Uint64(f.b[p:]))
	}
	return 0
}

// follow returns what the offset at pos points to.
func (f *flat) follow(pos int) int {
	off := f.u32(pos)
	if f.bad || off <= 0 || off > len(f.b)-pos {
		f.bad = true
		return 0
	}
	return pos + off
}

// sub returns the table that field i points to and whether there is one.
func (f *flat) sub(t table, i int) (table, bool) {
	p := f.field(t, i, 4)
	if p == 0 {
		return table{}, false
	}
	s := f.table(f.follow(p))
	return s, !f.bad
}

// vector returns the elements of the vector that field i points to, each
// width bytes wide, and where the first of them lies.
func (f *flat) vector(t table, i, width int) (elements []byte, pos int) {
	p := f.field(t, i, 4)
	if p == 0 {
		return nil, 0
	}
	p = f.follow(p)
	n := f.u32(p)
	if f.bad || n < 0 || n > (len(f.b)-p-4)/width {
		f.bad = true
		return nil, 0
	}
	p += 4
	return f.b[p : p+n*width : p+n*width], p
}

// item returns table j of a vector of offsets that starts at pos.
func (f *flat) item(pos, j int) table { return f.table(f.follow(pos + 4*j)) }
