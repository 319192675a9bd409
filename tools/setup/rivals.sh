#!/bin/sh
# rivals.sh: the Python programs that `trellis bench` measures against, in a virtual environment of
# their own in the cache folder, at pinned versions. Needs python3 with venv, and pip's usual access
# to packages. Run by hand; nothing else needs it.
set -eu
# shellcheck source=tools/setup/lib.sh
. "${0%/*}/lib.sh"

venv=$cache/rivals
pins=$root/bench/requirements.txt

open_log
say "installing what ${pins#"$root/"} lists into $venv"
logged python3 -m venv "$venv" || fail "rivals" "python3 -m venv failed" "install python3-venv"
logged "$venv/bin/pip" install --quiet -r "$pins" || fail "rivals" "pip install failed" "see the log"
say "done: trellis bench NAME, where NAME is digits, grid, networks, quality, samplers, tables or trials"
