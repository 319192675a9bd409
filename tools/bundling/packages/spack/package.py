"""Spack: the program from source, without a GPU. Not run."""
from spack.package import MesonPackage, depends_on, license, variant, version  # pylint: disable=redefined-builtin


class Trellis(MesonPackage):
    """Searches hyperparameters and trains networks as one graph of tasks on every core of a machine."""

    homepage = "https://example.org/trellis"
    license("MIT")

    version("0.1.0")

    variant("network", default=True, description="Studies on more than one machine")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("ninja@1.10:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("starpu@1.4:")
    depends_on("hwloc@2:")
    depends_on("openblas@0.3.20: threads=pthreads")
    depends_on("netlib-lapack@3.10: +lapacke ~shared")
    depends_on("onednn@2.6:2 cpu_runtime=omp")
    depends_on("yaml-cpp@0.6:")
    depends_on("sqlite@3.35:")
    depends_on("nlohmann-json@3.9:")
    depends_on("cli11@2:")
    depends_on("re2")
    depends_on("xxhash@0.8:")
    depends_on("random123@1.09:")
    depends_on("boost@1.71:")
    depends_on("xgboost@1.5:")
    depends_on("zlib-api")
    depends_on("grpc@1.30:", when="+network")
    depends_on("openssl@3:", when="+network")

    def meson_args(self):
        return ["-Dcuda=disabled", "-Dtests=disabled", f"-Dstarpu_prefix={self.spec['starpu'].prefix}"]
