#!/bin/sh
# build.sh FOLDER TARGETS [MESON-OPTION...]: configures FOLDER where that is needed and builds TARGETS (words in one
# argument) there. CC and CXX choose the compilers. A folder that somebody else configured keeps its options.
set -eu
# shellcheck source=tools/setup/lib.sh
. "${0%/*}/lib.sh"

newline='
'
folder=$1
targets=$2
shift 2
find_cuda || true
# Clones in different folders share what a compiler cache holds.
export CCACHE_BASEDIR="${CCACHE_BASEDIR-$root}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR-1}"

# The first line names the clone, the compilers and the options; the others are what meson.build looks for. Where they
# differ from what the folder was configured with, it is configured again.
inputs() {
  echo "$root ${CC-} ${CXX-} $*"
  "$setup_dir/find-starpu" cpu
  "$setup_dir/find-starpu" cuda
  "$setup_dir/find-starpu" simgrid
  command -v nvcc || true
  pkg-config --modversion grpc++ openssl cpp-httplib 2>/dev/null || true
}

by_hand="configured by hand"

configure() {
  made_from=$folder/.made-from
  now=$(inputs "$@")
  before=$(cat "$made_from" 2>/dev/null) || before=
  if [ -e "$folder/build.ninja" ] && { [ -z "$before" ] || [ "${before%%"$newline"*}" = "$by_hand" ]; }; then
    now=$by_hand$newline${now#*"$newline"}
    before=${before:-$now}
    printf '%s\n' "$before" >"$made_from"
    set --
  fi
  [ ! -e "$folder/build.ninja" ] || [ "$before" != "$now" ] || return 0
  if [ -e "$folder/build.ninja" ] && [ "${before%%"$newline"*}" = "${now%%"$newline"*}" ]; then
    set -- --reconfigure "$@"
  else
    rm -rf "$folder"
  fi
  since=$(seconds)
  logged meson setup "$@" "$folder" "$root" ||
    fail "configuring ${folder##*/}" "meson setup failed" "see the log; a missing library is named in its last lines"
  took configuration "$since"
  printf '%s\n' "$now" >"$made_from"
}

build() {
  configure "$@"
  if [ "$targets" = build.ninja ]; then
    # It names the targets of today's meson.build files, which may be newer.
    logged ninja -C "$folder" build.ninja ||
      fail "configuring ${folder##*/}" "meson stopped" "see the log; a missing library is named in its last lines"
    return 0
  fi
  begun=$folder/.begun
  : >"$begun"
  say "building ${folder##*/} ($(jobs) jobs)"
  since=$(seconds)
  # shellcheck disable=SC2086 # targets are words
  if ! logged ninja -C "$folder" -j"$(jobs)" $targets; then
    grep -E '(error|undefined reference|FAILED):?' "$TRELLIS_SETUP_LOG" | head -n 12 | sed 's/^/    | /' >&2
    fail "building ${folder##*/}" "the compiler or linker stopped" "see the log; TRELLIS_JOBS=1 needs the least memory"
  fi
  # .ready says that the whole program is newer than its sources.
  case $targets in
    program) took program "$since" ;;
    all) took "program and tests" "$since" ;;
    *)
      took "what was asked for" "$since"
      return 0
      ;;
  esac
  "$setup_dir/find-starpu" cpu >>"$begun"
  mv "$begun" "$folder/.ready"
}

open_log
with_lock "build-$(echo "$folder" | sha256sum | cut -c1-12)" build "$@"
