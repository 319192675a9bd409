# source: h/hwloc/hwloc_2.9.0.orig.tar.bz2
# sha256: b3fb1a43a14d8fbcd8e976de5ede2ea7ce1d768ed173adb33c7ceaaf098dc970
# licence: COPYING
# shellcheck shell=sh
./configure --prefix="$PREFIX" --runstatedir=/run --enable-shared --disable-static --disable-cairo --disable-io \
  --disable-libxml2 --disable-libudev --disable-plugins --disable-readme
make -j"$JOBS" -C hwloc
make -C hwloc install
make -C include install
install -D -m 644 hwloc.pc "$PREFIX/lib/pkgconfig/hwloc.pc"
