# For the network plugin, which sends bytes over TLS: OpenSSL and RE2 are those of the other recipes, and protobuf is
# not asked for.
# source: g/grpc/grpc_1.51.1.orig.tar.gz
# sha256: b55696fb249669744de3e71acc54a9382bea0dce7cd5ba379b356b12b82d4229
# source: a/abseil/abseil_20220623.1.orig.tar.gz abseil
# sha256: abfe2897f3a30edaa74bc34365afe3c2a3cd012091a97dc7e008f7016adcd5fe
# source: c/c-ares/c-ares_1.18.1.orig.tar.gz c-ares
# sha256: 1a7d52a8a84a9fbffb1be9133c0f6e17217d91ea5a6fa61f6b4729cda78ebbcf
# licence: LICENSE NOTICE.txt abseil/LICENSE c-ares/LICENSE.md third_party/upb/LICENSE third_party/xxhash/LICENSE
# licence: third_party/address_sorting/LICENSE
# shellcheck shell=sh
# An empty folder keeps it from a download that it does not use.
mkdir -p third_party/opencensus-proto/src
cmake -S . -B objects -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_STANDARD=17 -DABSL_PROPAGATE_CXX_STD=ON \
  -DgRPC_INSTALL=OFF -DgRPC_BUILD_CODEGEN=OFF -DgRPC_BUILD_CSHARP_EXT=OFF -DgRPC_ZLIB_PROVIDER=package \
  "-DZLIB_ROOT=$PREFIX" -DgRPC_RE2_PROVIDER=none -DgRPC_SSL_PROVIDER=package "-DOPENSSL_ROOT_DIR=$PREFIX" \
  -DOPENSSL_USE_STATIC_LIBS=ON -DgRPC_PROTOBUF_PROVIDER=none "-DABSL_ROOT_DIR=$PWD/abseil" \
  "-DCARES_ROOT_DIR=$PWD/c-ares"
ninja -C objects -j"$JOBS" grpc++
# One archive of all that these need. Files of equal names stay side by side in it.
mkdir -p "$PREFIX/lib/pkgconfig" "$PREFIX/include"
rm -f "$PREFIX/lib/libgrpc++.a"
find objects -name '*.o' | LC_ALL=C sort | xargs ar qc "$PREFIX/lib/libgrpc++.a"
ranlib "$PREFIX/lib/libgrpc++.a"
cp -r include/grpc include/grpcpp include/grpc++ "$PREFIX/include/"
(cd abseil && find absl -name '*.h' -o -name '*.inc') | while read -r header; do
  install -D -m 644 "abseil/$header" "$PREFIX/include/$header"
done
printf 'Name: gRPC++\nDescription: remote calls\nVersion: 1.51.1\nCflags: -I%s\nLibs: -L%s -lgrpc++ %s\n' \
  "$PREFIX/include" "$PREFIX/lib" "-Wl,--exclude-libs,libgrpc++.a -lre2 -lssl -lcrypto -lz -pthread -ldl -lrt" \
  >"$PREFIX/lib/pkgconfig/grpc++.pc"
