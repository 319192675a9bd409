# With the options of Debian's library for threads and its kernels for the processors with AVX2 or AVX-512, so that
# the arithmetic is the same. Sandy Bridge is for older ones with AVX. The rest get the kernels of Prescott, which are
# always there. Only real numbers. LAPACK's Fortran stays out: the factorizations that the program calls are in C.
# source: o/openblas/openblas_0.3.21+ds.orig.tar.xz
# sha256: bbec5cca61c8033b2d57aaecde205d709323a0b35a5f193290081dbb3826848a
# licence: LICENSE
# shellcheck shell=sh
set -- NO_LAPACKE=1 NO_AFFINITY=1 NO_WARMUP=1 NUM_THREADS=64 DYNAMIC_ARCH=1 TARGET=GENERIC NOFORTRAN=1 USE_THREAD=1 \
  USE_OPENMP=0 INTERFACE64=0 COMMON_OPT= "CC=$CC" "CFLAGS=$CFLAGS" \
  BUILD_SINGLE=1 BUILD_DOUBLE=1 \
  "DYNAMIC_LIST=SANDYBRIDGE HASWELL ZEN SKYLAKEX COOPERLAKE"
make -j"$JOBS" libs "$@"
mkdir -p "$PREFIX/lib/pkgconfig" "$PREFIX/include"
"$CC" -shared -o "$PREFIX/lib/libopenblas.so.0" -Wl,--whole-archive libopenblas.a -Wl,--no-whole-archive \
  -Wl,-soname,libopenblas.so.0 -Wl,-z,defs -static-libgcc -lm -lpthread
ln -sf libopenblas.so.0 "$PREFIX/lib/libopenblas.so"
make -C . install "$@" NO_STATIC=1 NO_SHARED=1 "PREFIX=$PREFIX"
