#!/bin/sh
# A study on the hosts of an MPI job, an agent each: on_mpi.sh STUDY.yaml n1,n2,n3. Where a node dies, mpirun ends
# all; the same command continues the study.
set -eu
exec mpirun --host "$2" --map-by ppr:1:node --bind-to none trellis sweep "$1"
