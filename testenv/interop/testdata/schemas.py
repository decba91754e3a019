"""Writes the same rows as JSON, by fastavro and by google.protobuf, behind the header of a schema registry."""
import io, json, random, struct, sys

import fastavro
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

schema = fastavro.parse_schema(json.load(open(sys.argv[1])))
f = descriptor_pb2.FileDescriptorProto(name="row.proto", package="t", syntax="proto3")
m = f.message_type.add(name="Row")
c = f.message_type.add(name="Customer")
T = descriptor_pb2.FieldDescriptorProto
for i, (name, kind) in enumerate([("y", T.TYPE_DOUBLE), ("n", T.TYPE_SINT64), ("ok", T.TYPE_BOOL), ("g", T.TYPE_STRING)], 1):
    m.field.add(name=name, number=i, type=kind, label=T.LABEL_OPTIONAL)
m.field.add(name="customer", number=5, type=T.TYPE_MESSAGE, type_name=".t.Customer", label=T.LABEL_OPTIONAL)
c.field.add(name="age", number=1, type=T.TYPE_INT32, label=T.LABEL_OPTIONAL)
pool = descriptor_pool.DescriptorPool()
pool.Add(f)
Row = message_factory.GetMessageClass(pool.FindMessageTypeByName("t.Row"))
rng = random.Random(46)
for _ in range(200):
    row = {"y": rng.gauss(0, 1e3), "n": rng.randrange(-(2**63), 2**63), "ok": rng.random() < 0.5,
           "g": rng.choice(["north", "Zürich", "", "2024-01-05"]), "customer": {"age": rng.randrange(-5, 100)}}
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, row)
    print(json.dumps({
        "row": row,
        "avro": (struct.pack(">bI", 0, 1) + out.getvalue()).hex(),
        "protobuf": (struct.pack(">bI", 0, 2) + b"\0" + Row(**row).SerializeToString()).hex(),
    }))
