package main

var (
	schemas  = []string{"./pipeline/events/avro", "./pipeline/events/protobuf", "./pipeline/events/registry"}
	consumer = []string{"./cmd/consumer"}
)

// ofSchemas are faults of events whose schema is in a file or a registry.
var ofSchemas = []mutant{
	{"records handed on without their schema", "pipeline/events/registry/log.go",
		"f.Records = f.Records[:n]\n", "", "TestOutages", schemas},
	{"read on behind an outage of the registry", "pipeline/events/registry/log.go",
		"f.Next = last.Offset + 1\n", "", "TestOutages", schemas},
	{"an outage of the registry is an unknown id", "pipeline/events/registry/client.go",
		"case unknown(err):", "case err != nil && ctx.Err() == nil:", "TestOutages", schemas},
	{"any 404 is an unknown id", "pipeline/events/registry/client.go",
		"return e.ErrorCode == noSubject || e.ErrorCode == noVersion || e.ErrorCode == noSchema", "return true", "TestOutages", schemas},
	{"an unknown id is remembered", "pipeline/events/registry/client.go",
		"if !absent {", "if !absent || true {", "TestSchemasAreAskedForOnce", schemas},
	{"schemas are kept for ever", "pipeline/events/registry/cache.go",
		"c.order.Len() > keptSchemas || c.bytes > keptBytes", "false", "TestManySchemas", schemas},
	{"claimed items of Avro believed", "pipeline/events/avro/bytes.go",
		"if count < 0 || least > 0 && count > int64(len(d.value)-d.at)/least {", "if false {", "TestRecordsThatAskForTooMuch", schemas},
	{"what follows a datum passed over", "pipeline/events/avro/decoder.go",
		"if d.at < len(value) {", "if false {", "TestRegistryIsWaitedFor", consumer},
	{"one of a oneof and another", "pipeline/events/protobuf/message.go",
		"\t\to.met = 0\n", "\t\t_ = o\n", "FuzzDecode", schemas},
	{"pieces of a message not put together", "pipeline/events/protobuf/message.go",
		"\t\tif fresh {\n\t\t\tif err := d.open(inner)", "\t\tif fresh = true; fresh {\n\t\t\tif err := d.open(inner)", "FuzzDecode", schemas},
	{"a descriptor in base64 is taken for a source", "pipeline/events/protobuf/descriptor.go",
		"if err != nil || len(raw) == 0 {", "if err != nil || len(raw) > 0 {", "TestDescriptors", schemas},
	{"fields of a descriptor share an empty name in JSON", "pipeline/events/protobuf/descriptor.go",
		"f.JsonName = f.Name", "_ = f", "TestDescriptors", schemas},
	{"messages of a descriptor as deep as they like", "pipeline/events/protobuf/descriptor.go",
		"if most == 0 {", "if most < -1<<20 {", "TestDescriptors", schemas},
	{"the schema's file outside of the fingerprint", "cmd/consumer/connect/reader.go",
		"case r.schema != nil:\n\t\tform +=", "case false:\n\t\tform +=", "TestSchemaIsPartOfTheFingerprint", consumer},
}
