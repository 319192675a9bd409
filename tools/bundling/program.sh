# Configures and builds the program, in the root (sourced by bundle.sh, in a clone).
# shellcheck shell=sh
meson="python3 -B $PREFIX/meson/meson.py"
# A configured folder keeps its flags and does not look again for what was missing.
asked="$CXXFLAGS $(cd "$PREFIX/lib/pkgconfig" && echo *)"
if [ "$(cat build/asked 2>/dev/null)" != "$asked" ]; then
  rm -rf build
  $meson setup build --prefix=/usr --bindir=bin --libdir=lib --mandir=share/man --unity on --unity-size 12 \
    -Dcuda=disabled -Dtests=disabled "-Dstarpu_prefix=$(ls -d "$PREFIX"/cache/trellis/starpu-1.4*-cpu-*)"
  echo "$asked" >build/asked
fi
ninja -C build -j"$JOBS" program benchmarks cli/trellis.1
