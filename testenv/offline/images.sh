#!/usr/bin/env bash
# images.sh: makes every image that docker-compose.yml names without pulling
# one. What exists and is up to date stays; our own image is always built
# from the code as it is.
# images.sh KIND...: only these: base kafka redis credence.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
base=credence-base:local
answers || fail "no Docker engine answers: engine.sh start"
export DOCKER_BUILDKIT=0 # the classic builder takes local images as a base and is always there

# base: Debian with Java, redis-server and CA certificates, by
# debootstrap from the archive that this machine's apt uses.
make_base() {
  docker image inspect "$base" >/dev/null 2>&1 && return
  [ "$(id -u)" = 0 ] || fail "debootstrap needs root"
  need debootstrap debootstrap
  local suite targets uri components work
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  targets=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI) $(COMPONENT)' 'Created-By: Packages')
  uri=$(awk -v s="$suite" '$1 == s { print $2; exit }' <<<"$targets")
  components=$(awk -v s="$suite" -v u="$uri" '$1 == s && $2 == u { print $3 }' <<<"$targets" | sort -u | paste -sd,)
  [ -n "$uri" ] || fail "apt knows no archive of $suite: apt-get update"
  work=$(mktemp -d "$cache/base.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$work'" EXIT
  say "making $base, about a minute"
  debootstrap --variant=minbase --components="$components" \
    --include=openjdk-17-jre-headless,redis-server,ca-certificates \
    "$suite" "$work/tree" "$uri" >"$work/log" 2>&1 || {
    tail -n 5 "$work/log" >&2
    fail "debootstrap failed"
  }
  rm -rf "$work"/tree/var/cache/apt/archives/*.deb "$work"/tree/var/lib/apt/lists/*
  tar -C "$work/tree" -c . | docker import - "$base" >/dev/null
  rm -rf "$work"
  trap - EXIT
}

# stand_in TAG FOLDER: builds FOLDER unless TAG was built from the same files.
# An image of that name that was pulled stays.
stand_in() {
  local tag=$1 folder=$2 print
  print=$(cd "$folder" && find . -type f -print0 | sort -z | xargs -0 sha256sum | cat - <(docker image inspect --format '{{.Id}}' "$base") | sha256sum | cut -c1-16)
  built "$tag" "$print" && return
  if docker image inspect "$tag" >/dev/null 2>&1 && [ -z "$(docker image inspect --format '{{ index .Config.Labels "dev.credence.offline" }}' "$tag")" ]; then
    return
  fi
  say "building a stand-in for $tag"
  docker build --quiet --build-arg BASE="$base" --label dev.credence.offline="$print" --tag "$tag" "$folder" >/dev/null
}

make_redis() {
  make_base
  stand_in "$(image redis)" "$offline/redis"
}

make_kafka() {
  make_base
  local files=$root/testenv/local/files version libs context
  version=$(sed -n 's|.*<kafka.version>\(.*\)</kafka.version>.*|\1|p' "$files/pom.xml")
  libs=$cache/kafka-$version
  if [ ! -d "$libs" ]; then # the tests' local back end keeps its jars there too
    need mvn maven
    say "getting the jars of Kafka $version"
    local unfinished
    unfinished=$(mktemp -d "$cache/unfinished-XXXXXX")
    cp "$files/pom.xml" "$unfinished/"
    mvn --batch-mode --quiet --file "$unfinished/pom.xml" dependency:copy-dependencies \
      -DincludeScope=runtime -DoutputDirectory="$unfinished"
    mv -T "$unfinished" "$libs"
  fi
  context=$(mktemp -d "$cache/context.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$context'" EXIT
  cp -r "$offline/kafka/." "$context/"
  cp "$files/log4j2.properties" "$context/"
  cp -r "$libs" "$context/libs"
  stand_in "$(image kafka)" "$context"
  rm -rf "$context"
  trap - EXIT
}

# credence: our own image around a program that this machine's Go built.
make_credence() {
  make_base
  local work
  work=$(mktemp -d "$cache/image.XXXXXX")
  # shellcheck disable=SC2064 # the folder of now
  trap "rm -rf '$work'" EXIT
  say "building $(image consumer)"
  rm -rf "$root/bin/image"
  (cd "$root" && CGO_ENABLED=0 GOOS=linux go build -trimpath \
    -ldflags="-s -w -X $stamp.stamped=$(version) -X $stamp.stampedRevision=$(revision)" -o "$work/" ./cmd/credence &&
    go run ./testenv/release -root bin/image -program "$work/credence" -version "$(version)")
  rm -rf "$work"
  trap - EXIT
  docker build --quiet --build-arg BUILDER="$base" --build-arg PREBUILT=bin/image \
    --build-arg VERSION="$(version)" --build-arg REVISION="$(revision)" \
    --tag "$(image consumer)" "$root" >/dev/null
  docker image prune --force --filter label=dev.credence.build >/dev/null
}

[ $# -gt 0 ] || set -- base redis kafka credence
for kind in "$@"; do
  case $kind in
    base | redis | kafka | credence) "make_$kind" ;;
    *) fail "usage: images.sh [base|redis|kafka|credence]..." ;;
  esac
done
