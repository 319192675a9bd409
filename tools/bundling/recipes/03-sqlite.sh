# source: s/sqlite3/sqlite3_3.40.1.orig.tar.xz
# sha256: aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655
# licence: LICENSE.md
# shellcheck shell=sh
./configure --prefix="$PREFIX" --disable-shared --enable-static --disable-tcl --disable-readline
make -j"$JOBS" libsqlite3.la sqlite3.h
make lib_install
install -D -m 644 -t "$PREFIX/include" sqlite3.h
install -D -m 644 -t "$PREFIX/lib/pkgconfig" sqlite3.pc
# There is no shared library that would bring these.
sed -i 's/^Libs: .*/& -lm -ldl -pthread/' "$PREFIX/lib/pkgconfig/sqlite3.pc"
