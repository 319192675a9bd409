#!/bin/sh
# build.sh FOLDER TARGET [MESON-OPTION...]: configures FOLDER where that is needed and builds TARGET there.
set -eu
# shellcheck source=tools/setup/lib.sh
. "${0%/*}/lib.sh"

folder=$1
target=$2
shift 2
find_cuda || true

# What the configuration was made from. Where it differs from what there is now, it is made again.
inputs() {
  echo "$root $*"
  "$setup_dir/find-starpu" cpu
  "$setup_dir/find-starpu" cuda
  "$setup_dir/find-starpu" simgrid
  command -v nvcc || true
}

configure() {
  made_from=$folder/.made-from
  now=$(inputs "$@")
  [ ! -e "$folder/build.ninja" ] || [ "$(cat "$made_from" 2>/dev/null)" != "$now" ] || return 0
  say "configuring ${folder##*/}"
  if [ -e "$folder/build.ninja" ] && [ "$(head -n 1 "$made_from" 2>/dev/null)" = "$root $*" ]; then
    set -- --reconfigure "$@"
  else
    rm -rf "$folder"
  fi
  logged meson setup "$@" "$folder" "$root" ||
    fail "configuring ${folder##*/}" "meson setup failed" "see the log; a missing library is named in its last lines"
  printf '%s\n' "$now" >"$made_from"
}

build() {
  configure "$@"
  begun=$folder/.begun
  : >"$begun"
  say "building ${folder##*/} ($(jobs) jobs)"
  if ! logged ninja -C "$folder" -j"$(jobs)" "$target"; then
    grep -E '(error|undefined reference|FAILED):?' "$TRELLIS_SETUP_LOG" | head -n 12 | sed 's/^/    | /' >&2
    fail "building ${folder##*/}" "the compiler or linker stopped" "see the log; TRELLIS_JOBS=1 needs the least memory"
  fi
  "$setup_dir/find-starpu" cpu >>"$begun"
  mv "$begun" "$folder/.ready"
}

open_log
with_lock "build-$(echo "$folder" | sha256sum | cut -c1-12)" build "$@"
