# One header.
# source: c/cpp-httplib/cpp-httplib_0.11.4+ds.orig.tar.xz
# sha256: 8b1a5df569003b6a4f24c68489bbda5c64aec94697bdc9ebba5d79408b2ae7eb
# licence: LICENSE
# shellcheck shell=sh
install -D -m 644 -t "$PREFIX/include" httplib.h
printf 'Name: cpp-httplib\nDescription: HTTP in one header\nVersion: 0.11.4\nRequires.private: openssl\n' \
  >"$PREFIX/lib/pkgconfig/cpp-httplib.pc"
printf 'Cflags: -I%s -DCPPHTTPLIB_OPENSSL_SUPPORT\nLibs: -L%s -lssl -lcrypto -pthread -ldl\n' "$PREFIX/include" \
  "$PREFIX/lib" >>"$PREFIX/lib/pkgconfig/cpp-httplib.pc"
