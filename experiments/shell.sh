#!/bin/sh
# Prints the value of a function of two numbers: see command-shell.yaml.
awk -v x="$1" -v y="$2" 'BEGIN { printf "value: %.6f\n", (x - 2) ^ 2 + (x * y + 2) ^ 2 }'
