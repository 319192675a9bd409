# C's interface to the two factorizations that the program calls.
# source: l/lapack/lapack_3.11.0.orig.tar.gz
# sha256: 4b9ba79bfd4921ca820e83979db76ab3363155709444a787979e81c22285ffa9
# licence: LICENSE
# shellcheck shell=sh
cd LAPACKE || exit
echo '#define LAPACK_GLOBAL(lower, UPPER) lower##_' >include/lapacke_mangling.h
for source in src/lapacke_spotrf_work.c src/lapacke_dpotrf_work.c utils/*.c; do
  # shellcheck disable=SC2086 # words
  "$CC" $CFLAGS -Iinclude -c "$source"
done
ar crs "$PREFIX/lib/liblapacke.a" ./*.o
install -m 644 -t "$PREFIX/include" include/*.h
