# C's interface to the two factorizations that the program calls, and the eigenvalues that it calls in Fortran, which
# OpenBLAS has from LAPACK in Debian's library, too. Neither needs a library of Fortran's.
# source: l/lapack/lapack_3.11.0.orig.tar.gz
# sha256: 4b9ba79bfd4921ca820e83979db76ab3363155709444a787979e81c22285ffa9
# licence: LICENSE
# shellcheck shell=sh
mkdir -p fortran
cd fortran || exit
for name in la_constants.f90 la_xisnan.F90 dlartg.f90 dlassq.f90 dsyev.f disnan.f dlaisnan.f dlanst.f dlansy.f \
  dlascl.f dlatrd.f dorgtr.f dorgql.f dorg2l.f dorgqr.f dorg2r.f dlarfb.f dlarft.f dlarf.f dlarfg.f iladlc.f iladlr.f \
  dsteqr.f dsterf.f dlaev2.f dlae2.f dlapy2.f dlaset.f dlasr.f dlasrt.f dsytrd.f dsytd2.f ilaenv.f iparmq.f ieeeck.f; do
  gfortran -O2 -fPIC -c "../SRC/$name"
done
gfortran -O2 -fPIC -c ../INSTALL/dlamch.f
rm -f "$PREFIX/lib/liblapack-eigen.a"
ar crs "$PREFIX/lib/liblapack-eigen.a" ./*.o
sed -i 's/^Libs: .*-lopenblas$/& -llapack-eigen -lm/' "$PREFIX/lib/pkgconfig/openblas.pc"
cd ../LAPACKE || exit
echo '#define LAPACK_GLOBAL(lower, UPPER) lower##_' >include/lapacke_mangling.h
for source in src/lapacke_spotrf_work.c src/lapacke_dpotrf_work.c utils/*.c; do
  # shellcheck disable=SC2086 # words
  "$CC" $CFLAGS -Iinclude -c "$source"
done
ar crs "$PREFIX/lib/liblapacke.a" ./*.o
install -m 644 -t "$PREFIX/include" include/*.h
