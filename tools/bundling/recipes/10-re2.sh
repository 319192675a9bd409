# source: r/re2/re2_20220601+dfsg.orig.tar.xz
# sha256: 3bc61251da3b0b97be40a8a127818c517c62516e4eda11fc901d29496663df54
# licence: LICENSE
# shellcheck shell=sh
cmake -S . -B objects -G Ninja -DCMAKE_BUILD_TYPE=None "-DCMAKE_INSTALL_PREFIX=$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
  -DBUILD_SHARED_LIBS=OFF -DRE2_BUILD_TESTING=OFF -DCMAKE_CXX_STANDARD=17
ninja -C objects -j"$JOBS" install
