package config

import (
	"net/url"
	"path/filepath"
)

// Schema is the section input.schema: what values are written by, as a file or in a
// schema registry.
type Schema struct {
	File         string `yaml:"file"`
	Message      string `yaml:"message"` // of a file of Protobuf: the full name of the type
	Registry     string `yaml:"registry"`
	Username     string `yaml:"username"`
	PasswordFile string `yaml:"password_file"`
	TLS          TLS    `yaml:"tls"`
}

// Source reports whether the file of the schema is a source, as against what a
// compiler has made of one.
func (s *Schema) Source() bool { return filepath.Ext(s.File) == ".proto" }

// checkSchema reports what is missing of a schema, and keys that mean nothing.
func (i *Input) checkSchema(wrong report) {
	s := &i.Schema
	switch {
	case i.Format == FormatArrow && *s != (Schema{}):
		wrong("input.schema is set and input.format is arrow: shards bring their schema with them")
		return
	case i.Format == FormatJSON && s.File != "":
		wrong("input.schema.file is %q and input.format is json: events in JSON are read without a schema", s.File)
	case s.File != "" && s.Registry != "":
		wrong("input.schema.file is %q and input.schema.registry is %q: give one of them", s.File, hideSecrets(s.Registry))
	case i.Format != FormatJSON && i.Format != FormatArrow && s.File == "" && s.Registry == "":
		wrong("input.format is %s: input.schema.file names the schema of the values, or input.schema.registry the URL of the registry that knows it", i.Format)
	}
	switch {
	case i.Format == FormatProtobuf && s.File != "" && s.Message == "":
		wrong("input.schema.message is empty: which message of %s is a value, as in sales.v1.Sale?", s.File)
	case s.Message != "" && (i.Format != FormatProtobuf || s.File == ""):
		wrong("input.schema.message is %q: it is of a file of Protobuf", s.Message)
	}
	i.checkRegistry(wrong)
}

// checkRegistry reports what is wrong with how the schema registry is reached.
func (i *Input) checkRegistry(wrong report) {
	s := &i.Schema
	if s.Registry == "" {
		if s.Username != "" || s.PasswordFile != "" || s.TLS != (TLS{}) {
			wrong("input.schema.registry is empty, but input.schema.username, password_file or tls is set")
		}
		return
	}
	u, err := url.Parse(s.Registry)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		wrong("input.schema.registry: %q is not a URL such as https://registry:8081", hideSecrets(s.Registry))
		return
	case u.User != nil:
		wrong("input.schema.registry: %q has a user in it: input.schema.username and input.schema.password_file say who asks", hideSecrets(s.Registry))
	case u.Scheme == "http" && s.TLS != (TLS{}):
		wrong("input.schema.registry is %q, but keys of input.schema.tls are set: https is with TLS", s.Registry)
	}
	if (s.Username == "") != (s.PasswordFile == "") {
		wrong("input.schema.username is %q and input.schema.password_file is %q: give both or neither", s.Username, s.PasswordFile)
	}
	s.TLS.checkPair(wrong, "input.schema.tls")
}
