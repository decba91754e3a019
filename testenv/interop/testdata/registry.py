"""Writes events as Confluent's serializers do, which register each schema and those that it refers to. Every line of the input
is a topic, the format of its values, the version of their schema, a key and a row; the events are sent in this order."""
import json, sys

from confluent_kafka import Producer
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, wrappers_pb2

brokers, registry = sys.argv[1:3]
producer = Producer({"bootstrap.servers": brokers, "partitioner": "murmur2_random", "enable.idempotence": True})
client = SchemaRegistryClient({"url": registry})


def avro(version):
    """The second version has a field more, with a default."""
    customer = {"type": "record", "name": "Customer", "fields": [{"name": "region", "type": ["null", "string"], "default": None}]}
    fields = [{"name": "y", "type": "double"}, {"name": "customer", "type": customer}, {"name": "stock", "type": "long"},
              {"name": "price", "type": ["null", "double"], "default": None}]
    if version == 2:
        fields.insert(1, {"name": "channel", "type": "string", "default": "shop"})
    return AvroSerializer(client, json.dumps({"type": "record", "name": "Sale", "namespace": "shop", "fields": fields}))


def protobuf(version):
    """A sale is the second message of its file, which imports one of ours and one of Google's."""
    F, T = descriptor_pb2.FileDescriptorProto, descriptor_pb2.FieldDescriptorProto

    def add(message, number, name, kind, of=None):
        message.field.add(name=name, number=number, type=kind, type_name=of, label=T.LABEL_OPTIONAL)

    parts = F(name="shop/customer.proto", package="shop", syntax="proto3")
    add(parts.message_type.add(name="Customer"), 1, "region", T.TYPE_STRING)
    file = F(name="shop/sale.proto", package="shop", syntax="proto3", dependency=[parts.name, "google/protobuf/wrappers.proto"])
    file.message_type.add(name="Note")
    sale = file.message_type.add(name="Sale")
    add(sale, 1, "y", T.TYPE_DOUBLE)
    add(sale, 2, "stock", T.TYPE_SINT64)
    add(sale, 3, "price", T.TYPE_MESSAGE, ".google.protobuf.DoubleValue")
    add(sale, 4, "customer", T.TYPE_MESSAGE, ".shop.Customer")
    if version == 2:
        add(sale, 5, "channel", T.TYPE_STRING)
    pool = descriptor_pool.DescriptorPool()
    for f in (F.FromString(wrappers_pb2.DESCRIPTOR.serialized_pb), parts, file):
        pool.Add(f)
    made = message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Sale"))
    write = ProtobufSerializer(made, client)

    def serialize(row, context):
        row = {name: value for name, value in row.items() if value is not None}
        if "price" in row:
            row["price"] = {"value": row["price"]}
        if row["customer"]["region"] is None:
            del row["customer"]
        return write(made(**row), context)

    return serialize


writers = {(name, version): make(version) for name, make in (("avro", avro), ("protobuf", protobuf)) for version in (1, 2)}
for line in sys.stdin:
    event = json.loads(line)
    write = writers[event["format"], event["version"]]
    value = write(event["row"], SerializationContext(event["topic"], MessageField.VALUE))
    producer.produce(event["topic"], key=event["key"].encode(), value=value)
if left := producer.flush(300):
    sys.exit(f"{left} events were not acknowledged")
