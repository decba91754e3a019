#!/bin/bash
# Turns KAFKA_* variables into server.properties as the official image does
# (KAFKA_LOG_DIRS is log.dirs; ___ is -, __ is _), formats an empty log and
# becomes the broker.
set -euo pipefail
cd /opt/kafka
properties=config/server.properties
: >"$properties"
while IFS= read -r -d '' entry; do
  name=${entry%%=*}
  value=${entry#*=}
  case $name in
    KAFKA_HEAP_OPTS | KAFKA_OPTS | KAFKA_JVM_PERFORMANCE_OPTS | KAFKA_VERSION) continue ;;
    KAFKA_*) ;;
    *) continue ;;
  esac
  key=$(sed -e 's/^KAFKA_//' -e 's/___/-/g' -e 's/__/@/g' -e 's/_/./g' -e 's/@/_/g' <<<"$name")
  printf '%s=%s\n' "${key,,}" "$value" >>"$properties"
done < <(env -0)

java=(java ${KAFKA_HEAP_OPTS:--Xms256m -Xmx1g} -XX:+UseSerialGC -XX:TieredStopAtLevel=1
  -XX:+ExitOnOutOfMemoryError -Djava.awt.headless=true
  -Dlog4j2.configurationFile=file:/opt/kafka/log4j2.properties -cp '/opt/kafka/libs/*')
# The official image's default; give every cluster that shares a Redis its own.
"${java[@]}" kafka.tools.StorageTool format --ignore-formatted \
  --cluster-id "${CLUSTER_ID:-5L6g3nShT-eMCtK--X86sw}" --config "$properties"
exec "${java[@]}" kafka.Kafka "$properties"
