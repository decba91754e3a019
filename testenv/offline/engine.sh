#!/usr/bin/env bash
# engine.sh start: makes a Docker engine answer on this machine. One that
# answers already is left alone; else, as root, dockerd is installed if need be
# and started in the background.
# engine.sh stop: stops the dockerd that start started, and only that one.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
pidfile=$cache/dockerd.pid

ours() { # whether the recorded process still is a dockerd
  [ -s "$pidfile" ] && [ "$(cat "/proc/$(cat "$pidfile")/comm" 2>/dev/null)" = dockerd ]
}

start() {
  need docker docker.io
  docker compose version >/dev/null 2>&1 || need docker-compose docker-compose
  answers && return
  [ "$(id -u)" = 0 ] || fail "no Docker engine answers, and only root can start one"
  need dockerd docker.io
  say "starting dockerd, log in $cache/dockerd.log"
  # A pid file of a machine that was switched off makes dockerd refuse to start.
  if [ -f /var/run/docker.pid ] && ! kill -0 "$(cat /var/run/docker.pid)" 2>/dev/null; then
    rm -f /var/run/docker.pid
  fi
  setsid nohup dockerd --storage-driver overlay2 >"$cache/dockerd.log" 2>&1 </dev/null &
  echo $! >"$pidfile"
  for _ in $(seq 60); do
    answers && return
    kill -0 "$(cat "$pidfile")" 2>/dev/null || break # its name is dockerd's only after setsid and nohup
    sleep 0.5
  done
  tail -n 5 "$cache/dockerd.log" >&2
  fail "dockerd does not answer"
}

stop() {
  ours || return 0
  kill "$(cat "$pidfile")"
  for _ in $(seq 60); do
    ours || { rm -f "$pidfile"; return; }
    sleep 0.5
  done
  fail "dockerd does not end"
}

case ${1:-} in
  start) start ;;
  stop) stop ;;
  *) fail "usage: engine.sh start|stop" ;;
esac
