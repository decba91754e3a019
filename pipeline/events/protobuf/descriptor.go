package protobuf

import (
	"encoding/base64"
	"fmt"

	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// maxDescriptor bounds a file that is a descriptor, in bytes of its text: an empty message, which
// takes hundreds of bytes in memory, has two of them and no braces that could be counted.
const maxDescriptor = 256 << 10

// descriptor returns the FileDescriptorProto that a text is in base64, under the name that others
// import it by; nil where the text is none. Confluent's clients for Python and C register files
// in this form, and a registry may give back what it was given.
func descriptor(text, name string) (*descriptorpb.FileDescriptorProto, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) == 0 {
		return nil, nil
	}
	if len(text) > maxDescriptor {
		return nil, fmt.Errorf("a descriptor of more than %d bytes", maxDescriptor)
	}
	d := new(descriptorpb.FileDescriptorProto)
	if err := proto.Unmarshal(raw, d); err != nil {
		return nil, nil // the compiler says what is wrong with the text
	}
	for _, m := range d.GetMessageType() {
		if !settle(m, maxBraces) {
			return nil, errDeep
		}
	}
	unnamed(d.GetExtension())
	d.Name = proto.String(name)
	return d, nil
}

// settle prepares a message and those in it for the compiler, and reports whether they are
// fewer than so many deep in each other.
func settle(m *descriptorpb.DescriptorProto, most int) bool {
	if most == 0 {
		return false
	}
	unnamed(m.GetField())
	unnamed(m.GetExtension())
	for _, inner := range m.GetNestedType() {
		if !settle(inner, most-1) {
			return false
		}
	}
	return true
}

// unnamed gives fields their own names in JSON, of which no two are the same: generated code
// leaves these out, two that are empty are refused, and they mean nothing here.
func unnamed(fields []*descriptorpb.FieldDescriptorProto) {
	for _, f := range fields {
		f.JsonName = f.Name
	}
}

// checked builds a compiled file again by the rules that Protobuf has for descriptors, with what it
// imports. The compiler has these rules for sources only: a field of which a descriptor says that it
// is a message, and not which, would be found when a record is read.
func checked(file protoreflect.FileDescriptor) (*File, error) {
	set := new(descriptorpb.FileDescriptorSet)
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		set.File = append(set.File, protoutil.ProtoFromFileDescriptor(f))
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
	}
	add(file)
	files, err := protodesc.NewFiles(set)
	if err != nil {
		return nil, fmt.Errorf("schema of Protobuf: %s", cut(err))
	}
	again, err := files.FindFileByPath(file.Path())
	if err != nil {
		return nil, fmt.Errorf("schema of Protobuf: %s", cut(err))
	}
	return &File{again}, nil
}
