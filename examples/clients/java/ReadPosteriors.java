import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Prints every posterior of a topic once, one line per variable, separated by tabs.
 *
 * <p>For topics in JSON (kafka.format: json). Arguments: brokers and topic. Needs kafka-clients
 * and jackson-databind on the class path.
 */
public final class ReadPosteriors {
  private static final List<String> STATISTICS =
      List.of(
          "mean", "sd", "median", "q2.5", "q5", "q25", "q75", "q95", "q97.5",
          "mcse_mean", "ess_bulk", "ess_tail", "r_hat");

  private final Map<String, Long> greatest = new HashMap<>();
  private final ObjectMapper json = new ObjectMapper();
  private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

  public static void main(String[] args) throws Exception {
    new ReadPosteriors().read(args[0], args[1]);
  }

  private void read(String brokers, String topic) throws Exception {
    Map<String, Object> settings =
        Map.of("bootstrap.servers", brokers, "auto.offset.reset", "earliest", "enable.auto.commit", false);
    out.println("key\tt\tn\tvariable\t" + String.join("\t", STATISTICS));
    try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer())) {
      // Without a group: this program reads all partitions from their beginning to their end.
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream().map(p -> new TopicPartition(topic, p.partition())).toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        for (ConsumerRecord<String, byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
          if (fresh(record) && record.value() != null) { // null: the model was deleted
            print(json.readTree(record.value()));
          }
        }
      }
    }
    out.flush();
  }

  /**
   * After a crash Credence may send messages again, byte for byte the same: the greatest offset
   * per source and key counts, smaller ones are ignored.
   */
  private boolean fresh(ConsumerRecord<String, byte[]> record) {
    long offset = Long.parseLong(header(record, "ce_id"));
    String source = header(record, "ce_source") + "\n" + record.key();
    if (offset <= greatest.getOrDefault(source, -1L)) {
      return false;
    }
    greatest.put(source, offset);
    return true;
  }

  private static String header(ConsumerRecord<?, ?> record, String name) {
    return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }

  private void print(JsonNode posterior) {
    for (JsonNode row : posterior.get("posterior")) {
      StringBuilder line = new StringBuilder();
      line.append(posterior.get("key").textValue());
      line.append('\t').append(posterior.get("t").longValue());
      line.append('\t').append(posterior.get("n").longValue());
      line.append('\t').append(row.get("variable").textValue());
      for (String name : STATISTICS) {
        JsonNode value = row.get(name);
        line.append('\t').append(value.isNull() ? "" : Double.toString(value.doubleValue()));
      }
      out.println(line);
    }
  }
}
