# source: x/xgboost/xgboost_1.7.4.orig.tar.gz
# sha256: bedf9b61564c80f28a7ca8e74d71357539b6c81a0e5a548db10a48530a07424a
# source: d/dmlc-core/dmlc-core_0.5.orig.tar.gz dmlc-core
# sha256: cd97475ae1ecf561a1cb1129552f9889d52b11b3beb4c56e5345d007d5020ece
# licence: LICENSE dmlc-core/LICENSE
# shellcheck shell=sh
cmake -S . -B objects -G Ninja -DCMAKE_BUILD_TYPE=None -DUSE_OPENMP=ON \
  "-DCMAKE_SHARED_LINKER_FLAGS=-static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL"
ninja -C objects -j"$JOBS" libxgboost.so
install -m 755 -t "$PREFIX/lib" lib/libxgboost.so
cp -r include/xgboost "$PREFIX/include/"
