# Configures and builds the program, in the root (sourced by bundle.sh, in a clone).
# shellcheck shell=sh
meson="python3 -B $PREFIX/meson/meson.py"
[ -e build/build.ninja ] || $meson setup build --prefix=/usr --bindir=bin --libdir=lib --mandir=share/man --unity on \
  --unity-size 12 -Dcuda=disabled -Dtests=disabled "-Dstarpu_prefix=$(ls -d "$PREFIX"/cache/trellis/starpu-1.4*-cpu-*)"
ninja -C build -j"$JOBS" program benchmarks cli/trellis.1
