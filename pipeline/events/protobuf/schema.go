// Package protobuf reads events in Protobuf: a message in the binary encoding, whose
// type is known from elsewhere. A message is a row, a repeated field of messages at a
// path in it are rows.
//
// The fields of a row are columns, by their names in the .proto file, those of
// messages inside it by their path. Integers are whole numbers, float and double
// fractions; bool, string and enum are what they say, an enum by its name. A wrapper
// is its value, a google.protobuf.Timestamp a time. A field that is not there is null
// where that can be told, and else the zero of its type, as in every reader of
// Protobuf; a message that is not there has no columns. Maps are objects. Other
// repeated fields, and bytes, are skipped.
//
// The value is read here by the wire format, without building messages, for what a
// value claims must be weighed before memory is taken for it.
package protobuf

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
)

var _ events.Schema = Schema{}

// Schema is a message type. Two of the same type are equal.
type Schema struct {
	message protoreflect.MessageDescriptor
}

// NewDecoder implements events.Schema.
func (s Schema) NewDecoder(limits events.Limits, wanted events.Wanted, payload []string) pipeline.Decoder {
	return newDecoder(s, limits, wanted, payload)
}

// Rows implements events.Schema.
func (s Schema) Rows(payload []string) error {
	_, _, err := s.steps(payload)
	return err
}

// step is a field on the way to the rows.
type step struct {
	name   string
	number protoreflect.FieldNumber
	group  bool
	others []protoreflect.FieldNumber // of which only one is there
	list   bool                       // the last step: each is a row
}

// steps returns the way to the rows, and their type.
func (s Schema) steps(payload []string) ([]step, protoreflect.MessageDescriptor, error) {
	var way []step
	at := s.message
	for i, name := range payload {
		path := strings.Join(append([]string{"$"}, payload[:i]...), ".")
		f := at.Fields().ByName(protoreflect.Name(name))
		last := i == len(payload)-1
		switch {
		case f == nil:
			return nil, nil, fmt.Errorf("message %s of Protobuf: %s has no field %q", s.message.FullName(), path, name)
		case f.Message() == nil, f.IsMap(), f.IsList() && !last:
			return nil, nil, fmt.Errorf("message %s of Protobuf: %s.%s is no message, where input.payload has the rows", s.message.FullName(), path, name)
		}
		t := step{name: name, number: f.Number(), group: f.Kind() == protoreflect.GroupKind, list: f.IsList()}
		if one := f.ContainingOneof(); one != nil {
			for j := range one.Fields().Len() {
				if o := one.Fields().Get(j); o != f {
					t.others = append(t.others, o.Number())
				}
			}
		}
		way, at = append(way, t), f.Message()
	}
	return way, at, nil
}

// Column implements events.Schema.
func (s Schema) Column(payload []string, name string) bool {
	_, at, err := s.steps(payload)
	return err == nil && has(at, name)
}

// has reports whether a message may have something at a path below it.
func has(m protoreflect.MessageDescriptor, path string) bool {
	name, rest, nested := strings.Cut(path, ".")
	f := m.Fields().ByName(protoreflect.Name(name))
	switch {
	case f == nil:
		return false
	case !nested:
		return true
	case f.IsMap():
		return true
	}
	return f.Message() != nil && !f.IsList() && wellKnown(f.Message()) == "" && has(f.Message(), rest)
}

// wellKnown tells messages that are read as one value.
func wellKnown(m protoreflect.MessageDescriptor) string {
	if m.ParentFile().Package() != "google.protobuf" {
		return ""
	}
	switch name := string(m.Name()); name {
	case "Timestamp":
		return name
	case "DoubleValue", "FloatValue", "Int64Value", "UInt64Value", "Int32Value", "UInt32Value", "BoolValue", "StringValue", "BytesValue":
		return "wrapper"
	}
	return ""
}

// File is a compiled file with the message types that it defines.
type File struct{ file protoreflect.FileDescriptor }

// Message returns the message type of a full name, as in sales.v1.Sale.
func (f *File) Message(name string) (Schema, error) {
	if m := find(f.file.Messages(), protoreflect.FullName(name)); m != nil {
		return Schema{m}, nil
	}
	var there []string
	for i := range f.file.Messages().Len() {
		there = append(there, string(f.file.Messages().Get(i).FullName()))
	}
	if len(there) == 0 {
		return Schema{}, errors.New("schema of Protobuf: it defines no message")
	}
	return Schema{}, fmt.Errorf("schema of Protobuf: it defines no message %q; there are %.300s", name, strings.Join(there, ", "))
}

func find(all protoreflect.MessageDescriptors, name protoreflect.FullName) protoreflect.MessageDescriptor {
	for i := range all.Len() {
		m := all.Get(i)
		if m.FullName() == name {
			return m
		}
		if strings.HasPrefix(string(name), string(m.FullName())+".") {
			if inner := find(m.Messages(), name); inner != nil {
				return inner
			}
		}
	}
	return nil
}

// Indexed returns the message type at a position: that of a message in the file, and
// in turn that of one inside it.
func (f *File) Indexed(at []int) (Schema, error) {
	all := f.file.Messages()
	var m protoreflect.MessageDescriptor
	for _, i := range at {
		if i < 0 || i >= all.Len() {
			return Schema{}, fmt.Errorf("message %v of a file that has none there", at)
		}
		m = all.Get(i)
		all = m.Messages()
	}
	if m == nil {
		return Schema{}, errors.New("no message is named")
	}
	return Schema{m}, nil
}
