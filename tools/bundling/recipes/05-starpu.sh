# As set-up makes it from a source tree.
# source: s/starpu/starpu_1.4.10+dfsg.orig.tar.gz tools
# sha256: 6b3bb9ec0d79f937882148b2da09ae6cb0ad4d1e83a104be45723dd70eba99c3
# licence: COPYING.LGPL
# shellcheck shell=sh
export XDG_CACHE_HOME="$PREFIX/cache" TRELLIS_JOBS="$JOBS"
rm -rf "$XDG_CACHE_HOME"
mkdir -p "$XDG_CACHE_HOME/trellis/starpu-source"
tar -xf tools/starpu_1.4.10+dfsg.orig.tar.gz --strip-components=1 --wildcards '*/COPYING.LGPL'
mv tools/starpu_1.4.10+dfsg.orig.tar.gz "$XDG_CACHE_HOME/trellis/starpu-source/"
tools/setup/starpu.sh cpu
