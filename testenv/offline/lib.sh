# Shared by the scripts of this folder; sourced, not run.
set -euo pipefail
offline=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$offline/../.." && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/var/cache}/.cache}/credence
mkdir -p "$cache"

say() { printf 'offline: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# need PROGRAM PACKAGE...: installs Debian packages unless PROGRAM is there.
need() {
  local program=$1
  shift
  command -v "$program" >/dev/null && return
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
    fail "$program is missing: install $* with your system's package manager"
  say "installing $*"
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 --quiet)
  "${apt[@]}" --yes --no-install-recommends install "$@" >"$cache/apt.log" 2>&1 || {
    "${apt[@]}" update >>"$cache/apt.log" 2>&1
    "${apt[@]}" --yes --no-install-recommends install "$@" >>"$cache/apt.log" 2>&1
  } || fail "apt-get failed, see $cache/apt.log"
}

answers() { docker info >/dev/null 2>&1; }

# image SERVICE: the image that docker-compose.yml names for a service.
image() {
  sed -n "/^  $1:/,/^  [a-z]/s/^    image: *//p" "$root/docker-compose.yml"
}

# pinned REFERENCE: with the digest that deploy/images.lock has for it, if it has one.
pinned() {
  local digest
  digest=$(awk -v ref="$1" '$1 == ref && $2 ~ /^sha256:/ { print $2 }' "$root/deploy/images.lock")
  printf '%s\n' "$1${digest:+@$digest}"
}

# What git says of the code that an image is built from; an archive of it has no repository.
version() { git -C "$root" describe --tags --always --dirty 2>/dev/null || echo unknown; }
revision() { git -C "$root" rev-parse HEAD 2>/dev/null || true; }
stamp=github.com/credence-stream/credence/cmd/internal/version

# built TAG FINGERPRINT: whether TAG was built by us from the same files.
built() {
  [ "$(docker image inspect --format '{{ index .Config.Labels "dev.credence.offline" }}' "$1" 2>/dev/null)" = "$2" ]
}
