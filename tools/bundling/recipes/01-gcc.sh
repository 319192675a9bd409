# The compiler, with C++20's library, for programs that need no C++ library of the system.
# source: g/gcc-12/gcc-12_12.2.0.orig.tar.gz
# sha256: b8298be16aeeb96a889c6afed0a8e2241b47452e89cc81fe65ea849d5c740fcb
# licence: gcc-12.2.0/COPYING.RUNTIME gcc-12.2.0/COPYING3
# shellcheck shell=sh
unset CC CXX CFLAGS CXXFLAGS C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH
[ -d gcc-12.2.0 ] || tar -xf gcc-12.2.0-dfsg.tar.xz
mkdir -p o
cd o || exit
[ -e Makefile ] ||
  CFLAGS=-O2 CXXFLAGS=-O2 ../gcc-12.2.0/configure --prefix=/opt/gcc-12 --enable-languages=c,c++ --disable-bootstrap \
    --disable-multilib --disable-nls --disable-lto --disable-analyzer --disable-libsanitizer --disable-libvtv \
    --disable-libitm --disable-libssp --disable-libquadmath --with-system-zlib --disable-libstdcxx-pch \
    --enable-default-pie
make -j"$JOBS" MAKEINFO=true
# Debian's archive has no sources of the manuals, so their installation fails.
make -k install MAKEINFO=true || true
/opt/gcc-12/bin/g++ --version
