"""The work of `consumer run` as one writes it in Python: shards of a topic
become regressions per key, whose posteriors go to another topic and whose
states to Redis; offsets are committed once both are there.

    job.py BROKER REDIS TOPIC GROUP RECORDS     RECORDS CPU WALL
"""

import sys
import time

import confluent_kafka as kafka
import numpy as np
import pyarrow as pa
import redis

import regression

CHECKPOINT_RECORDS, CHECKPOINT_SECONDS = 2000, 1.0
POSTERIOR = pa.schema([("parameter", pa.string())] + [(name, pa.float64()) for name in ("mean", "sd", "q025", "q25", "q50", "q75", "q975")])


class Job:
    def __init__(self, broker, store, topic, group):
        self.consumer = kafka.Consumer({
            "bootstrap.servers": broker, "group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False,
        })
        self.consumer.subscribe([topic])
        self.producer = kafka.Producer({"bootstrap.servers": broker, "linger.ms": 20, "queue.buffering.max.messages": 1_000_000})
        self.store, self.group = redis.from_url(store), group
        self.models, self.changed, self.saved = {}, set(), time.perf_counter()

    def model(self, key, p):
        if key not in self.models:
            model, state = regression.Regression(p), self.store.hget(self.group, key)
            if state is not None:
                model.restore(np.frombuffer(state))
            self.models[key] = model
        return self.models[key]

    def absorb(self, message):
        shard = pa.ipc.open_stream(message.value()).read_next_batch()
        columns = dict(zip(shard.schema.names, (c.to_numpy() for c in shard.columns)))
        y = columns.pop("y")
        x = np.column_stack([np.ones(len(y)), *columns.values()])
        model = self.model(message.key(), x.shape[1])
        model.absorb(x, y)
        self.publish(message, ["intercept", *columns], *model.summary())
        self.changed.add(message.key())

    def publish(self, message, names, mean, sd, quantiles):
        numbers = (pa.array(column) for column in (mean, sd, *quantiles.T))
        rows = pa.RecordBatch.from_arrays([pa.array(names), *numbers], schema=POSTERIOR)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, POSTERIOR) as writer:
            writer.write_batch(rows)
        self.producer.produce(self.group + "-out", sink.getvalue().to_pybytes(), message.key(), timestamp=message.timestamp()[1])
        self.producer.poll(0)

    def checkpoint(self):
        self.producer.flush()
        with self.store.pipeline(transaction=True) as pipeline:
            for key in self.changed:
                pipeline.hset(self.group, key, self.models[key].state().tobytes())
            pipeline.execute()
        self.consumer.commit(asynchronous=False)
        self.changed.clear()
        self.saved = time.perf_counter()

    def run(self, records):
        done, waiting, cpu, wall = 0, 0, 0.0, 0.0
        while done < records:
            messages = self.consumer.consume(500, 0.2)
            if messages and not done:
                cpu, wall = time.process_time(), time.perf_counter()
            for message in messages:
                if message.error():
                    raise kafka.KafkaException(message.error())
                self.absorb(message)
            done += len(messages)
            waiting += len(messages)
            if waiting >= CHECKPOINT_RECORDS or waiting and time.perf_counter() - self.saved >= CHECKPOINT_SECONDS:
                self.checkpoint()
                waiting = 0
        if waiting:
            self.checkpoint()
        print(done, time.process_time() - cpu, time.perf_counter() - wall)
        self.consumer.close()


if __name__ == "__main__":
    Job(*sys.argv[1:5]).run(int(sys.argv[5]))
