package arrow

import "strconv"

// Type codes of a Field.
const (
	typeNull          = 1
	typeInt           = 2
	typeFloat         = 3
	typeBinary        = 4
	typeUtf8          = 5
	typeBool          = 6
	typeDecimal       = 7
	typeDate          = 8
	typeTime          = 9
	typeTimestamp     = 10
	typeInterval      = 11
	typeList          = 12
	typeStruct        = 13
	typeUnion         = 14
	typeFixedBinary   = 15
	typeFixedList     = 16
	typeMap           = 17
	typeDuration      = 18
	typeLargeBinary   = 19
	typeLargeUtf8     = 20
	typeLargeList     = 21
	typeRunEnd        = 22
	typeBinaryView    = 23
	typeUtf8View      = 24
	typeListView      = 25
	typeLargeListView = 26
)

// typed returns how values of a type lie, what the type is called and how
// many buffers it has in a record batch (-1: the name says why it cannot be
// known). What is not read must still be stepped over, so every type of the
// format is here.
func (p *planner) typed(code byte, t table) (layout, string, int) {
	switch code {
	case typeInt:
		return p.integer(t)
	case typeFloat:
		if w := p.f.i16(t, 0, 0); w >= 0 && w <= 2 {
			return layout{kind: kindFloat, width: 2 << w}, "float", 2
		}
		return layout{}, "floating point precision", -1
	case typeDate:
		switch p.f.i16(t, 0, 1) {
		case 0:
			return layout{kind: kindDay, width: 4}, "date", 2
		case 1:
			return layout{kind: kindTick, width: 8, per: 1e3}, "date", 2
		}
		return layout{}, "date unit", -1
	case typeTimestamp:
		units := [...]int64{1, 1e3, 1e6, 1e9}
		if u := p.f.i16(t, 0, 0); u >= 0 && int(u) < len(units) {
			return layout{kind: kindTick, width: 8, per: units[u]}, "timestamp", 2
		}
		return layout{}, "timestamp unit", -1
	case typeUnion:
		return layout{}, "union", p.union(t)
	case typeDecimal:
		return layout{}, p.decimal(t), 2
	}
	if s, ok := told[code]; ok {
		return s.layout, s.name, s.buffers
	}
	return layout{}, "unknown type", -1
}

// integer is typed for an Int table.
func (p *planner) integer(t table) (layout, string, int) {
	bits := p.f.i32(t, 0)
	switch bits {
	case 8, 16, 32, 64:
	default:
		return layout{}, "integer width", -1
	}
	if p.f.u8(t, 1, 0) != 0 {
		return layout{kind: kindSigned, width: int(bits / 8)}, "int", 2
	}
	return layout{kind: kindUnsigned, width: int(bits / 8)}, "uint", 2
}

// decimal returns the name of a decimal type.
func (p *planner) decimal(t table) string {
	switch bits := p.f.i32(t, 2); bits {
	case 0: // left out: the default
		return "decimal128"
	case 32, 64, 128, 256:
		return "decimal" + strconv.Itoa(int(bits))
	}
	return "decimal"
}

// union returns the buffers of a union: type ids, offsets if it is dense,
// and before format 1.0 a validity bitmap.
func (p *planner) union(t table) int {
	n := 1
	if p.f.i16(t, 0, 0) == 1 { // dense
		n++
	}
	if p.version < versionV5 {
		n++
	}
	return n
}

// told are the types of which the code tells everything. Those without a layout
// are no columns.
var told = map[byte]struct {
	layout
	name    string
	buffers int
}{
	typeNull:          {layout{kind: kindNull}, "null", 0},
	typeBool:          {layout{kind: kindBool}, "bool", 2},
	typeUtf8:          {layout{kind: kindText, width: 4}, "utf8", 3},
	typeLargeUtf8:     {layout{kind: kindLargeText, width: 8}, "large_utf8", 3},
	typeUtf8View:      {layout{kind: kindTextView, width: 16}, "utf8_view", 2},
	typeBinary:        {layout{}, "binary", 3},
	typeLargeBinary:   {layout{}, "large_binary", 3},
	typeBinaryView:    {layout{}, "binary_view", 2},
	typeFixedBinary:   {layout{}, "fixed_size_binary", 2},
	typeTime:          {layout{}, "time", 2},
	typeInterval:      {layout{}, "interval", 2},
	typeDuration:      {layout{}, "duration", 2},
	typeList:          {layout{}, "list", 2},
	typeLargeList:     {layout{}, "large_list", 2},
	typeMap:           {layout{}, "map", 2},
	typeListView:      {layout{}, "list_view", 3},
	typeLargeListView: {layout{}, "large_list_view", 3},
	typeFixedList:     {layout{}, "fixed_size_list", 1},
	typeStruct:        {layout{}, "struct", 1},
	typeRunEnd:        {layout{}, "run_end_encoded", 0},
}
