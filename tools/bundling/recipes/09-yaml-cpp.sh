# source: y/yaml-cpp/yaml-cpp_0.7.0+dfsg.orig.tar.xz
# sha256: dc63708605404e0b963e0ca3a9619d1c8270eda2839603e6fa0384e5e51e5312
# licence: LICENSE
# shellcheck shell=sh
cmake -S . -B objects -G Ninja -DCMAKE_BUILD_TYPE=None "-DCMAKE_INSTALL_PREFIX=$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
  -DYAML_BUILD_SHARED_LIBS=OFF -DYAML_CPP_BUILD_TESTS=OFF -DYAML_CPP_BUILD_TOOLS=OFF -DYAML_CPP_BUILD_CONTRIB=OFF
ninja -C objects -j"$JOBS" install
