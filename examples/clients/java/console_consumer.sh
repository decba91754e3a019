#!/usr/bin/env bash
# Print every posterior of a topic once, as JSON lines, with the console
# consumer that comes with Apache Kafka.
#
#   ./console_consumer.sh 127.0.0.1:9092 posteriors --timeout-ms 10000
#
# For topics in JSON (kafka.format: json). Further arguments go to the console
# consumer, which has to be on the PATH; without any it goes on for ever.
set -euo pipefail
brokers=$1 topic=$2
shift 2

# Lines are headers, key and value, separated by tabs; JSON has none. After a
# crash Credence may send messages again, byte for byte the same: keep the
# greatest offset (ce_id) per source and key, ignore smaller ones. The value null
# says that the model was deleted.
kafka-console-consumer.sh --bootstrap-server "$brokers" --topic "$topic" --from-beginning \
  --property print.headers=true --property print.key=true "$@" |
  awk -F '\t' '
    function header(name) { return match(headers, "," name ":[^,]*") ? substr(headers, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : "" }
    {
      headers = "," $1
      source = header("ce_source") "\t" $2
      offset = header("ce_id") + 0
      if (!(source in greatest) || offset > greatest[source]) {
        greatest[source] = offset
        if ($3 != "null") { print $3; fflush() }
      }
    }'
