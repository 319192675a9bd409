# source: m/meson/meson_1.0.1.orig.tar.gz
# sha256: d926b730de6f518728cc7c57bc5e701667bae0c3522f9e369427b2cc7839d3c1
# shellcheck shell=sh
rm -rf "$PREFIX/meson"
mkdir -p "$PREFIX/meson"
cp -r meson.py mesonbuild "$PREFIX/meson/"
