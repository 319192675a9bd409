# What makes one build of StarPU different from another (POSIX sh, sourced after lib.sh).
# shellcheck shell=sh
# shellcheck disable=SC2154 # cache comes from lib.sh

# starpu_options FLAVOUR: the arguments of its configure, but for the prefix.
starpu_options() {
  echo --enable-maxcpus=256 --enable-maxnodes=16 --enable-maxbuffers=32 --disable-static \
    --disable-build-doc --disable-build-tests --disable-build-examples --disable-starpufft --disable-socl \
    --disable-starpurm --disable-starpupy --disable-opencl --disable-hip --disable-fortran --disable-mlr \
    --disable-starpu-java --disable-hdf5 --disable-glpk --disable-mpi --disable-gdb
  case $1 in
    cpu) echo --disable-cuda ;;
    simgrid) echo --enable-simgrid --disable-cuda --enable-maxcudadev=8 ;;
    cuda) echo --enable-cuda --enable-maxcudadev=8 "--with-cuda-dir=$(cuda_dir)" ;;
  esac
}

cuda_dir() {
  nvcc=$(readlink -f "$(command -v nvcc)")
  echo "${nvcc%/bin/nvcc}"
}

# starpu_key FLAVOUR: a hash over options, system and (cuda) toolkit; part of the prefix's name.
starpu_key() {
  {
    starpu_options "$1"
    echo can be moved
    uname -m
    sed -n 's/^\(ID\|VERSION_ID\)=//p' /etc/os-release 2>/dev/null
    [ "$1" != cuda ] || nvcc --version
    [ "$1" != simgrid ] || pkg-config --modversion simgrid
  } | sha256sum | cut -c1-12
}

# starpu_prefix FLAVOUR: the newest complete prefix with this key, or nothing. Set-up renames a prefix into place
# as its last step, so one that is there is whole.
starpu_prefix() {
  key=$(starpu_key "$1")
  for prefix in "$cache"/starpu-*-"$1-$key"; do
    [ -e "$prefix/lib/pkgconfig/starpu-1.4.pc" ] && printf '%s\n' "$prefix"
  done | sort -V | tail -n 1
}
