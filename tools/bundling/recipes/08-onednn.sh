# With the options of Debian's library, but for its OpenCL.
# source: o/onednn/onednn_2.6.3.orig.tar.gz
# sha256: fd47d2470000b5015f6e34134f799683050f81cbc04f53a3b0d323df1bb900bc
# licence: LICENSE THIRD-PARTY-PROGRAMS
# shellcheck shell=sh
cmake -S . -B objects -G Ninja -DCMAKE_BUILD_TYPE=None "-DCMAKE_INSTALL_PREFIX=$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
  -DDNNL_CPU_RUNTIME=OMP -DDNNL_GPU_RUNTIME=NONE -DDNNL_BUILD_EXAMPLES=OFF -DDNNL_BUILD_TESTS=OFF \
  -DDNNL_ARCH_OPT_FLAGS= "-DCMAKE_SHARED_LINKER_FLAGS=-static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL"
ninja -C objects -j"$JOBS" install
