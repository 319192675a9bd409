# Its own default places are those of Debian; SSL_CERT_FILE names another. The library keeps the compiler's command and
# the folders of its parts, so neither names a folder of the bundle's making.
# source: o/openssl/openssl_3.0.20.orig.tar.gz
# sha256: c80a01dfc70ece4dc21168932c37739042d404d46ccc81a5986dd75314ecda6f
# licence: LICENSE.txt
# shellcheck shell=sh
# shellcheck disable=SC2086 # words
CC=gcc ./Configure linux-x86_64 --prefix="$PREFIX" --libdir=lib --openssldir=/etc/ssl no-shared no-tests no-module \
  no-legacy no-engine $CFLAGS
set -- ENGINESDIR=/usr/lib/x86_64-linux-gnu/engines-3 MODULESDIR=/usr/lib/x86_64-linux-gnu/ossl-modules
make -j"$JOBS" build_libs "$@"
make install_dev "$@"
