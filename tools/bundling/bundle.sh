#!/bin/sh
# bundle.sh FOLDER: the bundle and the wheel of the last commit, in FOLDER. Everything that they carry is built in a
# Debian 11 of their own (a debootstrap root) by a compiler of their own. Each step's result is kept in the cache folder
# bundle/ (or $TRELLIS_BUNDLE_CACHE). A step is repeated only when its recipe changed, so an interrupted run goes on
# where it stopped. Needs root (for chroot), debootstrap, git, python3 and a network.
# --here FOLDER: of what is built in build/, with this system's libraries: for systems at least as new as this one.
# --cuda, before all others: the archive and the wheel of what both need on CUDA devices, too, with this system's CUDA
# toolkit.
# --until RECIPE: only the recipes up to that one.
set -eu
# shellcheck source=tools/setup/lib.sh
. "${0%/*}/../setup/lib.sh"

here=$root/tools/bundling
room=${TRELLIS_BUNDLE_CACHE:-$cache/bundle}
sources=$room/sources
debian=$room/root
# In the root: what the recipes install, and the compiler.
prefix=/opt/trellis-parts
compiler=/opt/gcc-12
# Headers of both say in messages where they are, as do sources.
flags="-O2 -fPIC -ffile-prefix-map=/build/= -ffile-prefix-map=/opt/="
packages="build-essential,libgmp-dev,libmpfr-dev,libmpc-dev,flex,bison,zlib1g-dev,xz-utils,python3,pkg-config,cmake"
packages="$packages,ninja-build,git,patchelf,libboost-dev,perl,file,tcl,gfortran"

usage() {
  echo "usage: tools/bundle [--cuda] FOLDER | tools/bundle [--cuda] --here FOLDER [BUILD] |" \
    "tools/bundle --until RECIPE" >&2
  exit 2
}

require() { have "$1" || fail bundle "there is no $1" "install it"; }

# in_root COMMAND...: in the Debian 11, with its own /dev and /proc, and the toolkit of --cuda, which are gone when the
# command ends.
in_root() {
  # shellcheck disable=SC2016 # the inner shell's words
  unshare --mount --propagation private sh -eu -c 'mount --rbind /dev "$1/dev"; mount -t proc proc "$1/proc"
    [ -z "$2" ] || { mkdir -p "$1/usr/local/cuda"; mount --bind -o ro "$2" "$1/usr/local/cuda"; }
    root=$1; shift 2; exec chroot "$root" /usr/bin/env -i "$@"' in-root "$debian" "$toolkit" \
    HOME=/root LC_ALL=C.UTF-8 "PATH=$compiler/bin:/usr/sbin:/usr/bin:/sbin:/bin" "PREFIX=$prefix" "JOBS=$(jobs)" \
    "CC=$compiler/bin/gcc" "CXX=$compiler/bin/g++" "PKG_CONFIG_PATH=$prefix/lib/pkgconfig:$prefix/share/pkgconfig" \
    "C_INCLUDE_PATH=$prefix/include" "CPLUS_INCLUDE_PATH=$prefix/include" "LIBRARY_PATH=$prefix/lib" \
    "LD_LIBRARY_PATH=$prefix/lib" \
    "CFLAGS=$flags" "CXXFLAGS=$flags" "$@"
}

# count: the seconds of now, and the processor's that this shell's children have used. `times` tells them of its own
# shell alone.
count() {
  now=$(seconds)
  mkdir -p "$room"
  times >"$room/times"
  processor=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); n += 60 * part[1] + part[2] } }
    END { print int(n) }' "$room/times")
}

begin() {
  count
  begun=$now
  processor_then=$processor
}

# ended NAME: says how long the step took that `begin` started.
ended() {
  count
  say "$1: $((now - begun)) s, $((processor - processor_then)) s of processor time"
}

make_root() {
  [ ! -e "$debian/etc/debian_version" ] || return 0
  begin
  say "a Debian 11 for the cache, once"
  rm -rf "$debian.new"
  logged debootstrap --variant=minbase "--include=$packages" bullseye "$debian.new" "$(mirror)" ||
    fail "Debian 11" "debootstrap failed" "see the log"
  mv "$debian.new" "$debian"
  ended "Debian 11"
}

name_of() { basename "$1" .sh | cut -d - -f 2-; }

# sources_of RECIPE: path, sum and folder of each of its archives.
sources_of() { awk '/^# source: / { path = $3; part = $4 } /^# sha256: / { print path, $3, part }' "$1"; }

# get PATH SUM: a file of Debian's archive, into $sources.
get() {
  file=$sources/${1##*/}
  if [ ! -e "$file" ]; then
    mkdir -p "$sources"
    fetch "$(mirror)/pool/main/$1" "$file.new" ||
      fail "download of ${1##*/}" "it is not at $(mirror)/pool/main/$1" \
        "put a file with the SHA-256 sum $2 at $file; upstream's archive is the same file"
    mv "$file.new" "$file"
  fi
  sum=$(sha256sum "$file")
  [ "${sum%% *}" = "$2" ] ||
    fail "download of ${1##*/}" "$file is not the file that was published" "remove it and try again later"
}

# unpack FILE FOLDER: the recipe's sources, into FOLDER. A Debian package stays as it is, for the root's own tools. So
# does an archive for tools/; set-up's scripts, which unpack that, come beside it.
unpack() {
  rm -rf "$2"
  sources_of "$1" >"$room/list"
  while read -r path sum part; do
    get "$path" "$sum"
    mkdir -p "$2/$part"
    case $part:$path in
      tools:*) cp -r "$root/tools/setup" "$sources/${path##*/}" "$2/tools/" ;;
      *.deb) cp "$sources/${path##*/}" "$2/$part" ;;
      *) logged tar --no-same-owner -xf "$sources/${path##*/}" -C "$2/$part" --strip-components=1 ;;
    esac
  done <"$room/list"
  cp "$1" "$2/recipe.sh"
}

# run_recipe FILE: runs it in /build/NAME with its sources, unless that was done before. One that was interrupted goes
# on with what make and ninja have already made.
run_recipe() {
  name=$(name_of "$1")
  key=$({ cat "$1"; [ "$name" = gcc ] || sha256sum <"$here/recipes/01-gcc.sh"; } | sha256sum)
  [ "$(cat "$room/done/$name" 2>/dev/null)" != "$key" ] || return 0
  begin
  say "building $name"
  work=$debian/build/$name
  if [ "$(cat "$work/unpacked" 2>/dev/null)" != "$key" ]; then
    unpack "$1" "$work"
    echo "$key" >"$work/unpacked"
  fi
  logged in_root sh -euc "cd /build/$name && . ./recipe.sh" || fail "$name" "its recipe failed" "see the log"
  licences=$debian$prefix/licences/$name
  rm -rf "$licences"
  mkdir -p "$licences"
  sed -n 's/^# licence: //p' "$1" | tr ' ' '\n' | while read -r text; do
    cp "$work/$text" "$licences/$(echo "$text" | tr / -)"
  done
  rm -rf "$work"
  mkdir -p "$room/done"
  echo "$key" >"$room/done/$name"
  ended "$name"
}

# The program itself: its folder stays, so that a later commit compiles what is new in it.
build_trellis() {
  begin
  [ -z "$(git -C "$root" status --porcelain)" ] || say "what is not committed is not in the bundle"
  tree=$debian/build/trellis
  [ -d "$tree/.git" ] || logged git clone -q --no-checkout "$root" "$tree"
  logged git -C "$tree" fetch -q "$root" HEAD
  logged git -C "$tree" checkout -q --force --detach FETCH_HEAD
  say "building the program"
  logged in_root "CUDA=${toolkit:+enabled}" sh -euc "cd /build/trellis; . tools/bundling/program.sh" ||
    fail "program" "the compiler or linker stopped" "see the log"
  ended program
}

make() {
  make_root
  cp -L /etc/resolv.conf /etc/hosts "$debian/etc/"
  for recipe in "$here"/recipes/*.sh; do
    run_recipe "$recipe"
    case ${recipe##*/} in *-"$until".sh) return 0 ;; esac
  done
  build_trellis
  mkdir -p "$folder"
  set -- --forbid "$prefix" "$compiler" "$root" "$cache" "$room" "$debian"
  for recipe in "$here"/recipes/*.sh; do set -- "$@" "/build/$(name_of "$recipe")"; done
  python3 -B "$here/assemble.py" "$folder" --build "$debian/build/trellis/build" --inside "$debian" \
    --licences "$debian$prefix/licences" --libraries "$debian$prefix/lib" "$debian$compiler/lib64" "$@" /build/trellis \
    ${toolkit:+--cuda}
}

# The program of $build, as it is, with the libraries of this system: for systems at least as new as this one.
make_here() {
  [ -e "$build/cli/trellis.1" ] || fail bundle "$build is not whole" "run ./trellis test, which builds all of it"
  build=$(CDPATH='' cd -- "$build" && pwd -P)
  mkdir -p "$folder"
  libraries=/usr/lib/x86_64-linux-gnu
  python3 -B "$here/assemble.py" "$folder" --build "$build" --forbid "$root" "$build" "$cache" \
    --libraries $libraries/openblas-pthread $libraries /lib/x86_64-linux-gnu ${toolkit:+--cuda}
}

until=
folder=
toolkit=
if [ "${1-}" = --cuda ]; then
  find_cuda || fail bundle "there is no nvcc" "install the CUDA toolkit"
  toolkit=$(readlink -f "$(command -v nvcc)")
  toolkit=${toolkit%/bin/nvcc}
  shift
fi
case $#:${1-} in
  1:-*) usage ;;
  1:*) folder=$1 ;;
  2:--until)
    until=$2
    [ -e "$(echo "$here"/recipes/*-"$until".sh)" ] || usage
    ;;
  2:--here | 3:--here) folder=$2 build=${3:-$root/build} ;;
  *) usage ;;
esac
open_log
for tool in python3 readelf strip patchelf; do require "$tool"; done
if [ "$1" = --here ]; then
  make_here
else
  [ "$(id -u)" = 0 ] || fail bundle "it needs root, for chroot" "run it as root; what it makes runs as anybody"
  for tool in debootstrap git unshare chroot; do require "$tool"; done
  with_lock bundle make
fi
