#!/bin/sh
# starpu.sh cpu|cuda|simgrid: makes sure that this flavour of StarPU 1.4 is there: the system's where pkg-config finds
# one, else one built from Debian's source package (without apt: from the tarball in it) into the cache folder. Quiet
# and quick when there is nothing to do.
set -eu
# shellcheck source=tools/setup/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tools/setup/starpu_key.sh
. "$setup_dir/starpu_key.sh"

flavour=${1:?usage: starpu.sh cpu|cuda|simgrid}
step="StarPU ($flavour)"
sources=$cache/starpu-source
known_version=1.4.10
known_sha256=6b3bb9ec0d79f937882148b2da09ae6cb0ad4d1e83a104be45723dd70eba99c3
known_tarball=starpu_$known_version+dfsg.orig.tar.gz

# try_suite SUITE: downloads its StarPU source package with lists of our own; the machine's stay as they are.
try_suite() {
  rm -rf "$sources.new"
  mkdir -p "$sources.new/lists/partial" "$sources.new/cache/archives/partial"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(mirror) $1 main" >"$sources.new/src.list"
  set -- -o "Dir::Etc::sourcelist=$sources.new/src.list" -o Dir::Etc::sourceparts=- \
    -o "Dir::State::lists=$sources.new/lists" -o "Dir::Cache=$sources.new/cache" \
    -o APT::Sandbox::User=root -o Acquire::Retries=3
  logged apt-get "$@" update &&
    (cd "$sources.new" && logged apt-get "$@" source --download-only starpu) &&
    set -- "$sources.new"/starpu_1.4.*.dsc && [ -e "$1" ]
}

check_sum() {
  for tarball in "$sources.new/starpu_$known_version"+*.orig.tar.gz; do
    [ -e "$tarball" ] || return 0
    sum=$(sha256sum "$tarball")
    [ "${sum%% *}" != "$known_sha256" ] || return 0
    fail "$step" "$tarball is not the file that was published" "remove $sources.new and try again later"
  done
}

# Without apt: the tarball of the version that is known, from Debian's archive.
download_known() {
  [ ! -e "$sources/$known_tarball" ] || return 0
  rm -rf "$sources.new"
  mkdir -p "$sources.new"
  fetch "$(mirror)/pool/main/s/starpu/$known_tarball" "$sources.new/$known_tarball" || return 1
  check_sum
  rm -rf "$sources"
  mv "$sources.new" "$sources"
}

# The source package stays in the cache, for the second flavour and for a repeated set-up.
download() {
  for known in "$sources"/starpu_1.4.*.dsc "$sources/$known_tarball"; do
    [ ! -e "$known" ] || return 0
  done
  if ! have apt-get || ! have dpkg-source; then
    download_known
    return
  fi
  for suite in forky sid; do
    if try_suite "$suite"; then
      check_sum
      rm -rf "$sources.new/lists" "$sources.new/cache" "$sources"
      mv "$sources.new" "$sources"
      return 0
    fi
  done
  fail "$step" "no StarPU 1.4 source package in Debian's forky or sid at $(mirror)" \
    "check the network, or install StarPU >= 1.4 where pkg-config finds it"
}

# unpack FOLDER: the source, with Debian's patches where they came along, and sets `version`.
unpack() {
  set -- "$1" "$sources"/starpu_1.4.*.dsc
  if [ -e "$2" ] && have dpkg-source; then
    logged dpkg-source --no-check -x "$2" "$1"
  else
    set -- "$1" "$sources"/starpu_1.4.*.orig.tar.gz
    mkdir -p "$1"
    logged tar -xzf "$2" -C "$1" --strip-components=1
  fi || fail "$step" "cannot unpack $2" "remove $sources and run the command again"
  version=${2##*/starpu_}
  version=${version%%[+-]*}
}

# CUDA 13 dropped a field that StarPU 1.4.10 still reads.
mend_for_cuda() {
  case $(nvcc --version | sed -n 's/.*release \([0-9]*\)\..*/\1/p') in
    1[3-9] | [2-9]?)
      sed -i 's/props\[devid\]\.computeMode == cudaComputeModeExclusive/0/' \
        "$1/src/drivers/cuda/driver_cuda.c" "$1/src/drivers/cuda/driver_cuda1.c"
      ;;
  esac
}

# No model of performance comes with it, and it would warn at each start of a folder that is missing.
mend_for_moving() {
  [ ! -e "$1/src/core/perfmodel/perfmodel.c" ] ||
    sed -i '/_perf_model_add_dir(STARPU_SAMPLING_DIR,/d' "$1/src/core/perfmodel/perfmodel.c"
}

install_flavour() {
  [ -z "$(starpu_prefix "$flavour")" ] || return 0
  begun=$(seconds)
  if ! download; then
    say "StarPU >= 1.4 was not found by pkg-config and cannot be downloaded: only the sequential executor"
    return 0
  fi
  work=$cache/build-starpu-$flavour
  rm -rf "$work"
  mkdir -p "$work/build"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM HUP
  unpack "$work/source"
  prefix=$cache/starpu-$version-$flavour-$(starpu_key "$flavour")
  took "download of StarPU $version" "$begun"
  begun=$(seconds)
  say "building StarPU $version ($flavour) for the cache, once"
  [ "$flavour" != cuda ] || mend_for_cuda "$work/source"
  mend_for_moving "$work/source"
  cd "$work/build"
  # shellcheck disable=SC2046 # the options are words
  logged "$work/source/configure" "--prefix=$prefix" $(starpu_options "$flavour") \
    "CFLAGS=-O2 -ffile-prefix-map=$work/=" "CXXFLAGS=-O2 -ffile-prefix-map=$work/=" ||
    fail "$step" "its configure failed" "see the log; a missing library is named in its last lines"
  # The library and the headers; its tools take half as long again and nothing here calls them.
  logged make -C src -j"$(jobs)" || fail "$step" "its make failed" "see the log; TRELLIS_JOBS=1 needs the least memory"
  { logged make -C src install "DESTDIR=$work/image" && logged make install-am "DESTDIR=$work/image"; } ||
    fail "$step" "its install failed" "check the space left in $cache"
  mv "$work/image$prefix" "$prefix"
  took "StarPU $version ($flavour)" "$begun"
}

[ "$flavour" != cuda ] || find_cuda || exit 0
if [ "$flavour" = simgrid ] && ! pkg-config --exists simgrid 2>/dev/null; then
  "$setup_dir/packages.sh" simulation
  pkg-config --exists simgrid 2>/dev/null || exit 0
fi
found=$("$setup_dir/find-starpu" "$flavour")
[ "$found" != system ] || exit 0
case $cache in
  *[[:space:]]*)
    fail "$step" "StarPU cannot live in '$cache': neither its build nor pkg-config stands a space in a path" \
      "set XDG_CACHE_HOME to a folder whose path has no space"
    ;;
esac
[ "$found" = "" ] || exit 0
open_log
with_lock starpu install_flavour
