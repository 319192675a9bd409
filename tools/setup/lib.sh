# Shared by the set-up scripts (POSIX sh, sourced): where things are, how to report, lock and run a step.
# shellcheck shell=sh
# shellcheck disable=SC2034 # variables are for the scripts that source this file

root=$(CDPATH='' cd -- "${0%/*}/../.." && pwd -P)
setup_dir=$root/tools/setup
cache=${XDG_CACHE_HOME:-${HOME:?HOME is not set, so there is no cache folder}/.cache}/trellis

# Meson and ninja that packages.sh took from PyPI; the system's go first.
build_tools=$cache/build-tools
[ ! -d "$build_tools/bin" ] || PATH=$PATH:$build_tools/bin

say() { printf 'trellis: %s\n' "$*" >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

# seconds: of a clock that only counts on. took PHASE BEGUN: says how long a phase took that has just ended.
seconds() { sed 's/\..*//' /proc/uptime; }
took() { say "$1: $(($(seconds) - $2)) s"; }

# fail STEP WHAT REMEDY: one line each for what went wrong, where the log is, and what to do.
fail() {
  say "set-up failed at: $1"
  say "  $2"
  if [ -s "${TRELLIS_SETUP_LOG:-/dev/null}" ]; then
    tail -n 5 "$TRELLIS_SETUP_LOG" | sed 's/^/    | /' >&2
    say "  log: $TRELLIS_SETUP_LOG"
  fi
  say "  remedy: $3"
  exit 69
}

# Opens this set-up's log file (inherited by the scripts it calls); keeps the ten newest.
open_log() {
  [ -z "${TRELLIS_SETUP_LOG-}" ] || return 0
  mkdir -p "$cache/logs" 2>/dev/null || fail "cache folder" "cannot create $cache/logs" \
    "make it writable, or set XDG_CACHE_HOME to a folder that is"
  TRELLIS_SETUP_LOG=$cache/logs/$(date +%Y%m%d-%H%M%S)-$$.log
  export TRELLIS_SETUP_LOG
  : >"$TRELLIS_SETUP_LOG" || fail "cache folder" "cannot write $TRELLIS_SETUP_LOG" "free some space there"
  find "$cache/logs" -name '*.log' -type f | sort -r | tail -n +11 | while read -r old; do rm -f "$old"; done
}

# logged COMMAND...: runs it with everything it prints going to the log.
logged() {
  printf '\n== %s\n' "$*" >>"$TRELLIS_SETUP_LOG"
  "$@" >>"$TRELLIS_SETUP_LOG" 2>&1 </dev/null
}

# with_lock NAME COMMAND...: one at a time for all set-ups that share the cache; says so when it has to wait.
with_lock() {
  lock=$cache/$1.lock
  shift
  mkdir -p "$cache"
  (
    flock -n 9 || { say "waiting for another set-up ($lock)"; flock 9; }
    "$@"
  ) 9>"$lock"
}

# Parallel jobs: the cores, but 700 MB of free memory for each compiler. TRELLIS_JOBS overrides.
jobs() {
  [ -z "${TRELLIS_JOBS-}" ] || { echo "$TRELLIS_JOBS"; return; }
  awk -v cores="$(nproc)" '/^MemAvailable:/ { n = int($2 / 716800) }
    END { if (n < 1) n = 1; print (n < cores ? n : cores) }' /proc/meminfo
}

# mirror: the one that this system's apt uses, for single files of Debian's archive.
mirror() {
  set -- /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list
  url=$({ sed -n 's/^URIs: *\([^ ]*\).*/\1/p' "$1"
    sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' "$2"; } 2>/dev/null | head -n 1)
  echo "${url:-http://deb.debian.org/debian}"
}

# fetch URL FILE: with whatever can.
fetch() {
  if have curl; then
    logged curl -fsSL --retry 3 -o "$2" "$1"
  elif have wget; then
    logged wget -q -O "$2" "$1"
  else
    logged python3 -c 'import sys, urllib.request; urllib.request.urlretrieve(*sys.argv[1:])' "$1" "$2"
  fi
}

# Whether there is an NVIDIA GPU (on WSL its driver shows itself as dxg).
have_gpu() { [ -e /dev/nvidiactl ] || [ -e /dev/nvidia0 ] || { [ -e /dev/dxg ] && have nvidia-smi; }; }

# The CUDA compiler's folder joins PATH where the toolkit sits in its usual place.
find_cuda() {
  have nvcc || { [ -x /usr/local/cuda/bin/nvcc ] && PATH=$PATH:/usr/local/cuda/bin; }
  have nvcc
}
