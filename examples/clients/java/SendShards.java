import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends files as shards of one model. Each file is an Arrow IPC stream, as arrow-java's
 * ArrowStreamWriter writes it.
 *
 * <p>Arguments: brokers, topic, key, files. Needs kafka-clients on the class path.
 */
public final class SendShards {
  public static void main(String[] args) throws Exception {
    String brokers = args[0], topic = args[1], key = args[2];
    // The default partitioner is the right one: leave partitioner.class alone.
    Map<String, Object> settings = Map.of("bootstrap.servers", brokers);
    List<Future<?>> sent = new ArrayList<>();
    try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer())) {
      for (String file : Arrays.asList(args).subList(3, args.length)) {
        var record = new ProducerRecord<>(topic, key, Files.readAllBytes(Path.of(file)));
        record.headers().add("content-type", "application/vnd.apache.arrow.stream".getBytes());
        sent.add(producer.send(record));
      }
    } // close waits for what is under way
    for (Future<?> f : sent) {
      f.get(); // throws if it was not acknowledged
    }
    System.out.println("sent " + sent.size() + " shards");
  }
}
