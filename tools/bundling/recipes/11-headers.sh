# Libraries of headers alone, and one small file.
# source: libr/librandom123/librandom123_1.14.0+dfsg.orig.tar.xz random123
# sha256: 0ed9bf1de7732303f35529ff9b42b0ab84e1fbeaad8ba97768440d8e2b109e87
# source: c/cli11/cli11_2.1.2+ds.orig.tar.xz cli11
# sha256: 8143d20b688e98ccce8e24562d3b68e5f47c12e896c42c7ca8553dbde5bed55d
# source: n/nlohmann-json3/nlohmann-json3_3.11.2.orig.tar.gz json
# sha256: d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273
# source: x/xxhash/xxhash_0.8.1.orig.tar.gz xxhash
# sha256: 3bb6b7d6f30c591dd65aaaff1c8b7a5b94d81687998ca9400082c739a690436c
# licence: random123/LICENSE cli11/LICENSE json/LICENSE.MIT xxhash/LICENSE
# shellcheck shell=sh
mkdir -p "$PREFIX/include" "$PREFIX/lib/pkgconfig"
cp -r random123/include/Random123 cli11/include/CLI json/include/nlohmann "$PREFIX/include/"
for module in CLI11:2.1.2 nlohmann_json:3.11.2; do
  printf 'Name: %s\nDescription: headers\nVersion: %s\nCflags: -I%s\n' "${module%:*}" "${module#*:}" "$PREFIX/include" \
    >"$PREFIX/lib/pkgconfig/${module%:*}.pc"
done
make -C xxhash -j"$JOBS" libxxhash.a libxxhash.pc "PREFIX=$PREFIX"
install -m 644 -t "$PREFIX/lib" xxhash/libxxhash.a
install -m 644 -t "$PREFIX/include" xxhash/xxhash.h xxhash/xxh3.h
install -m 644 -t "$PREFIX/lib/pkgconfig" xxhash/libxxhash.pc
