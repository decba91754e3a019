#!/usr/bin/env bash
# Print every posterior of a topic once, as one line of JSON each, with kcat and jq.
#
#   ./read_posteriors.sh 127.0.0.1:9092 posteriors
#
# For topics in JSON (kafka.format: json). Stops at the topic's end; without -e
# kcat goes on with what comes.
set -euo pipefail
brokers=$1 topic=$2

# After a crash Credence may send messages again, byte for byte the same. Keep
# the greatest offset (ce_id) per source and key, ignore smaller ones. A message
# without payload says that the model was deleted.
kcat -C -e -q -J -b "$brokers" -t "$topic" | jq --null-input --compact-output '
  foreach inputs as $message ({};
    ($message.headers | [range(0; length; 2) as $i | {(.[$i]): .[$i + 1]}] | add) as $header
    | ([$header.ce_source, $message.key] | tojson) as $source
    | ($header.ce_id | tonumber) as $offset
    | if $offset > (.greatest[$source] // -1)
      then .greatest[$source] = $offset | .fresh = $message.payload
      else .fresh = null end;
    .fresh | select(. != null) | fromjson)'
