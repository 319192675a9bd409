# source: z/zlib/zlib_1.2.13.dfsg.orig.tar.bz2
# sha256: 71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1
# licence: LICENSE
# shellcheck shell=sh
./configure --prefix="$PREFIX" --static
make -j"$JOBS" libz.a
make install
