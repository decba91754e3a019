#!/usr/bin/env bash
# Send files as shards of one model with kcat. Each file is an Arrow IPC stream.
#
#   ./send_shards.sh 127.0.0.1:9092 shards flights/SFO monday.arrows tuesday.arrows
set -euo pipefail
brokers=$1 topic=$2 key=$3
shift 3

# Not librdkafka's default partitioner! All producers of a topic must agree on
# the partition of a key, and Java's and ours use murmur2.
kcat -P -E -b "$brokers" -t "$topic" -k "$key" -X partitioner=murmur2_random -X enable.idempotence=true \
  -H content-type=application/vnd.apache.arrow.stream "$@"
