"""What every reader of Credence's topics needs: all messages that a topic has
now, and of these each posterior once."""

from confluent_kafka import Consumer, KafkaException, TopicPartition


def messages(brokers, topic):
    """Yields all messages that a topic has now."""
    consumer = Consumer(
        {
            "bootstrap.servers": brokers,
            "group.id": "unused",  # we assign partitions ourselves
            "enable.auto.commit": False,
            "enable.partition.eof": False,
        }
    )
    about = consumer.list_topics(topic, timeout=20).topics[topic]
    if about.error is not None:  # a topic that does not exist is not an empty one
        raise LookupError(f"topic {topic}: {about.error.str()}")
    left = {}
    for p in about.partitions:
        start, end = consumer.get_watermark_offsets(TopicPartition(topic, p), timeout=20)
        if end > start:
            left[p] = end
    consumer.assign([TopicPartition(topic, p, 0) for p in left])
    while left:
        message = consumer.poll(20)
        if message is None:
            raise TimeoutError(f"no message of {topic} for 20 s")
        if message.error():
            raise KafkaException(message.error())
        yield message
        if message.offset() + 1 >= left[message.partition()]:
            del left[message.partition()]
    consumer.close()


def once(brokers, topic):
    """Yields (key, value) of every posterior, or of its draws, once, and
    (key, None) for a model that was deleted.

    After a crash Credence may send messages again, byte for byte the same.
    Keep the greatest offset per source and key, ignore smaller ones.
    """
    greatest = {}
    for message in messages(brokers, topic):
        headers = dict(message.headers())
        source = headers["ce_source"], message.key()
        offset = int(headers["ce_id"].split(b"/")[0])  # "17", of draws "17/draws"
        if offset > greatest.get(source, -1):
            greatest[source] = offset
            yield message.key().decode(), message.value()


def newest(brokers, topic):
    """Returns the last value of every key whose model is there."""
    values = {}
    for key, value in once(brokers, topic):
        values[key] = value
    return {key: value for key, value in values.items() if value is not None}
