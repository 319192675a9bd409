#!/bin/sh
# packages.sh [tests|simulation|network|serve|cluster|ci]: makes sure that what packages.txt lists is installed, on
# Debian with apt. Where it may not install, or there is no apt, Meson and ninja come from PyPI, and what else is there
# already is enough; else it names exactly what is missing.
set -eu
# shellcheck source=tools/setup/lib.sh
. "${0%/*}/lib.sh"

step=packages

# listed NEED: the lines of packages.txt of that need, as "package check version".
listed() { sed -n "s/^$1  *//p" "$setup_dir/packages.txt"; }

not_installed() {
  listed "$1" | while read -r package check version; do
    : "$check" "$version"
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# present CHECK VERSION: whether it is there, whoever installed it.
present() {
  case $1 in
    any) ;;
    cmd:*) have "${1#cmd:}" ;;
    pc:*) have pkg-config && pkg-config --atleast-version="$2" "${1#pc:}" ;;
    header:*) echo "#include <${1#header:}>" | c++ -std=c++20 -E -x c++ - ;;
    lib:*) echo 'int main() {}' | c++ -x c++ - "-l${1#lib:}" -o /dev/null ;;
  esac >/dev/null 2>&1
}

not_found() {
  listed "$1" | while read -r package check version; do
    present "$check" "$version" || printf '%s (%s >= %s)\n' "$package" "${check#*:}" "$version"
  done
}

# as_root COMMAND...: directly, or through sudo; sudo may ask for a password only where somebody can answer.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ -t 0 ] && [ -t 2 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

may_install() {
  [ "$(id -u)" = 0 ] && return 0
  have sudo || return 1
  if [ -t 0 ] && [ -t 2 ]; then sudo -v; else sudo -n true 2>/dev/null; fi
}

apt_install() {
  logged as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 \
    install -y --no-install-recommends "$@"
}

# install NEED: 0 when all is there afterwards.
install() {
  # shellcheck disable=SC2046 # package names are words
  set -- $(not_installed "$1")
  [ $# -gt 0 ] || return 0
  may_install || return 1
  say "installing $# Debian packages: $*"
  begun=$(seconds)
  if apt_install "$@"; then
    took packages "$begun"
    return 0
  fi
  # Old package lists, or a run that was interrupted before.
  logged as_root dpkg --configure -a || true
  logged as_root apt-get -o DPkg::Lock::Timeout=600 update
  apt_install "$@" && took packages "$begun"
}

# from_pypi: Meson and ninja into the cache folder, which needs no rights.
from_pypi() {
  have python3 || return 1
  open_log
  say "installing Meson and ninja from PyPI into $build_tools"
  logged python3 -m venv "$build_tools" &&
    logged "$build_tools/bin/python3" -m pip install "meson==1.5.2" "ninja==1.11.1.1" &&
    PATH=$PATH:$build_tools/bin
}

# not_available NEED: what is missing when PyPI has given what it has.
not_available() {
  case $(not_found "$1") in
    *"(meson >="* | *"(ninja >="*) from_pypi || true ;;
  esac
  not_found "$1"
}

if have apt-get && have dpkg-query; then
  remedy="apt-get install --no-install-recommends $(not_installed program | tr '\n' ' ')"
  [ "$(not_installed program)" = "" ] || open_log
  if ! install program; then
    missing=$(not_available program)
    [ -z "$missing" ] || fail "$step" "could not install: $(echo "$missing" | tr '\n' ' ')" "as root: $remedy"
  fi
  case ${1-} in
    tests | simulation | network | serve | cluster | ci)
      if [ "$(not_installed "$1")" != "" ]; then
        open_log
        install "$1" || say "not installed, what needs them is left out: $(not_installed "$1" | tr '\n' ' ')"
      fi
      ;;
  esac
else
  missing=$(not_available program)
  if [ -n "$missing" ]; then
    say "there is no apt here; missing (Debian's names; what has to be found, least version):"
    echo "$missing" | sed 's/^/    /' >&2
    fail "$step" "the build needs all of them" "install them with this system's package manager, then run it again"
  fi
fi
