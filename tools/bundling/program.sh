# Configures and builds the program, in the root (sourced by bundle.sh, in a clone).
# shellcheck shell=sh
meson="python3 -B $PREFIX/meson/meson.py"
flavour=
static="-static-libstdc++ -static-libgcc"
set -- "-Dc_link_args=$static" "-Dcpp_link_args=$static"
if [ "${CUDA:-}" = enabled ]; then
  export PATH="$PATH:/usr/local/cuda/bin" LD_LIBRARY_PATH="$LD_LIBRARY_PATH:/usr/local/cuda/lib64"
  XDG_CACHE_HOME="$PREFIX/cache" TRELLIS_JOBS="$JOBS" tools/setup/starpu.sh cuda
  set -- "$@" "-Dcuda_link_args=-Xcompiler=-static-libstdc++ -Xcompiler=-static-libgcc"
  flavour=$(XDG_CACHE_HOME="$PREFIX/cache" tools/setup/find-starpu cuda)
fi
# A configured folder keeps its flags and does not look again for what was missing.
asked="$CXXFLAGS $* $flavour $(cd "$PREFIX/lib/pkgconfig" && echo *)"
if [ "$(cat build/asked 2>/dev/null)" != "$asked" ]; then
  rm -rf build
  $meson setup build --prefix=/usr --bindir=bin --libdir=lib --mandir=share/man --unity on --unity-size 12 \
    "-Dcuda=${CUDA:-disabled}" "-Dstarpu_cuda_prefix=$flavour" -Dtests=disabled "$@" \
    "-Dstarpu_prefix=$(ls -d "$PREFIX"/cache/trellis/starpu-1.4*-cpu-*)"
  echo "$asked" >build/asked
fi
ninja -C build -j"$JOBS" program benchmarks cli/trellis.1
