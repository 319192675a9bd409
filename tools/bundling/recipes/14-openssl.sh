# Its own default places are those of Debian; SSL_CERT_FILE names another.
# source: o/openssl/openssl_3.0.20.orig.tar.gz
# sha256: c80a01dfc70ece4dc21168932c37739042d404d46ccc81a5986dd75314ecda6f
# licence: LICENSE.txt
# shellcheck shell=sh
# shellcheck disable=SC2086 # words
./Configure linux-x86_64 --prefix="$PREFIX" --libdir=lib --openssldir=/etc/ssl no-shared no-tests no-module no-legacy \
  no-engine $CFLAGS
make -j"$JOBS" build_sw
make install_dev
