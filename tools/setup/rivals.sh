#!/bin/sh
# rivals.sh: the Python programs that `trellis bench` measures against, in a virtual environment of
# their own in the cache folder, at pinned versions. Needs python3 with venv, and pip's usual access
# to packages. Run by hand; nothing else needs it.
set -eu
# shellcheck source=tools/setup/lib.sh
. "${0%/*}/lib.sh"

venv=$cache/rivals
pins="torch==2.15.0 numpy==2.4.6 optuna==5.0.0 ray[tune]==2.60.0"

open_log
say "installing $pins into $venv"
logged python3 -m venv "$venv" || fail "rivals" "python3 -m venv failed" "install python3-venv"
# shellcheck disable=SC2086 # the pins are words
logged "$venv/bin/pip" install --quiet $pins || fail "rivals" "pip install failed" "see the log"
say "done: trellis bench digits, trellis bench trials"
