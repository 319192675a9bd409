# Debian's archive leaves out the tables, which are made of Unicode's files as in Debian's library.
# source: r/re2/re2_20220601+dfsg.orig.tar.xz
# sha256: 3bc61251da3b0b97be40a8a127818c517c62516e4eda11fc901d29496663df54
# source: u/unicode-data/unicode-data_15.0.0-1_all.deb
# sha256: 5efef23bbb1c6a133ecbdd63a2cfa07159ccacf5466a49e2426101c5ecd691fc
# licence: LICENSE unicode/usr/share/doc/unicode-data/copyright
# shellcheck shell=sh
dpkg-deb -x unicode-data_15.0.0-1_all.deb unicode
sed -i -e '/^from six/d' -e "s#^_UNICODE_DIR = .*#_UNICODE_DIR = '$PWD/unicode/usr/share/unicode'#" re2/unicode.py
make REBUILD_TABLES=1 re2/perl_groups.cc re2/unicode_casefold.cc re2/unicode_groups.cc
cmake -S . -B objects -G Ninja -DCMAKE_BUILD_TYPE=None "-DCMAKE_INSTALL_PREFIX=$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
  -DBUILD_SHARED_LIBS=OFF -DRE2_BUILD_TESTING=OFF -DCMAKE_CXX_STANDARD=17
ninja -C objects -j"$JOBS" install
mkdir -p "$PREFIX/lib/pkgconfig"
sed "s#@includedir@#$PREFIX/include#; s#@libdir@#$PREFIX/lib#" re2.pc >"$PREFIX/lib/pkgconfig/re2.pc"
