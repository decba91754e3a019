package protobuf

import (
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/credence-stream/credence/pipeline/events"
)

// message is a message type at a path of a row, with the values of one that is being
// read. Those of a message that comes in several pieces are put together, as Protobuf
// asks for.
type message struct {
	path   string // below the row
	free   bool   // the path is a map's, and known from the record alone
	fields []*field
	index  map[protowire.Number]int
	stamp  uint64 // of the message that is being read
	record uint64 // the last record that has it
}

// field is a field with its value.
type field struct {
	desc     protoreflect.FieldDescriptor
	name     []byte
	kind     protoreflect.Kind
	wire     protowire.Type
	mute     bool // not used, but others of its oneof are
	list     bool
	mapping  bool
	known    string   // of a message that is one value
	implicit bool     // absent is the zero of the type
	others   []*field // of which only one is there
	below    *message // of the message, or of a map's entries; nil: not met yet

	met     uint64 // stamp of the message that has it
	bits    uint64
	text    []byte
	entries [][]byte // of a map
}

// planner makes messages.
type planner struct {
	wanted events.Wanted
	made   int // fields
}

func (p *planner) message(desc protoreflect.MessageDescriptor, path string, free bool) *message {
	m := &message{path: path, free: free, index: map[protowire.Number]int{}}
	oneofs := map[protoreflect.OneofDescriptor][]*field{}
	for i := range desc.Fields().Len() {
		fd := desc.Fields().Get(i)
		f := &field{
			desc: fd, name: []byte(fd.Name()), kind: fd.Kind(), list: fd.IsList(), mapping: fd.IsMap(), implicit: !fd.HasPresence(),
			mute: !free && !p.wanted.Below(join(path, string(fd.Name()))),
		}
		f.wire = wires[f.kind]
		if fd.Message() != nil {
			f.known = wellKnown(fd.Message())
		}
		one := fd.ContainingOneof()
		if f.mute && one == nil {
			continue
		}
		if one != nil {
			oneofs[one] = append(oneofs[one], f)
		}
		m.index[fd.Number()] = len(m.fields)
		m.fields = append(m.fields, f)
	}
	for _, members := range oneofs {
		for _, f := range members {
			for _, o := range members {
				if o != f {
					f.others = append(f.others, o)
				}
			}
		}
	}
	p.made += len(m.fields)
	return m
}

// into returns the message of a field.
func (p *planner) into(m *message, f *field) *message {
	if f.below == nil {
		path := join(m.path, string(f.name))
		f.below = p.message(f.desc.Message(), path, m.free || f.mapping || f.known != "")
	}
	return f.below
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// width returns about how many values a row of a type may have: fields, also those of
// the messages inside it, but none of a type that contains itself.
func (p *planner) width(desc protoreflect.MessageDescriptor, path string, within map[protoreflect.FullName]bool, most int) int {
	n := 0
	within[desc.FullName()] = true
	defer delete(within, desc.FullName())
	for i := 0; i < desc.Fields().Len() && n < most; i++ {
		fd := desc.Fields().Get(i)
		below := join(path, string(fd.Name()))
		switch {
		case !p.wanted.Below(below):
		case fd.Message() != nil && !fd.IsMap() && !fd.IsList() && wellKnown(fd.Message()) == "":
			n++ // also one that has nothing, for there may be many of them
			if !within[fd.Message().FullName()] {
				n += p.width(fd.Message(), below, within, most-n)
			}
		default:
			n++
		}
	}
	return min(n, most)
}

var wires = map[protoreflect.Kind]protowire.Type{
	protoreflect.BoolKind: protowire.VarintType, protoreflect.EnumKind: protowire.VarintType,
	protoreflect.Int32Kind: protowire.VarintType, protoreflect.Sint32Kind: protowire.VarintType, protoreflect.Uint32Kind: protowire.VarintType,
	protoreflect.Int64Kind: protowire.VarintType, protoreflect.Sint64Kind: protowire.VarintType, protoreflect.Uint64Kind: protowire.VarintType,
	protoreflect.Sfixed32Kind: protowire.Fixed32Type, protoreflect.Fixed32Kind: protowire.Fixed32Type, protoreflect.FloatKind: protowire.Fixed32Type,
	protoreflect.Sfixed64Kind: protowire.Fixed64Type, protoreflect.Fixed64Kind: protowire.Fixed64Type, protoreflect.DoubleKind: protowire.Fixed64Type,
	protoreflect.StringKind: protowire.BytesType, protoreflect.BytesKind: protowire.BytesType, protoreflect.MessageKind: protowire.BytesType,
	protoreflect.GroupKind: protowire.StartGroupType,
}

// whole returns the whole number of a field that is one; not ok for one that does not
// fit an int64.
func (f *field) whole() (v int64, ok bool) {
	switch f.kind {
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind, protoreflect.EnumKind:
		return int64(int32(f.bits)), true
	case protoreflect.Sint32Kind:
		return int64(int32(protowire.DecodeZigZag(f.bits & math.MaxUint32))), true
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return int64(uint32(f.bits)), true
	case protoreflect.Sint64Kind:
		return protowire.DecodeZigZag(f.bits), true
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return int64(f.bits), f.bits <= math.MaxInt64
	}
	return int64(f.bits), true
}

// appendKey appends the key of a map's entry, which is no string.
func (f *field) appendKey(b []byte) []byte {
	switch v, ok := f.whole(); {
	case f.kind == protoreflect.BoolKind:
		return strconv.AppendBool(b, f.bits != 0)
	case !ok:
		return strconv.AppendUint(b, f.bits, 10)
	default:
		return strconv.AppendInt(b, v, 10)
	}
}
