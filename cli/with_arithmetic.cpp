#include "cli/with_arithmetic.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/standard_streams.h"
#include "kernels/kernels.h"
#include "runtime/net/hosts.h"

namespace cli {

int run_with_arithmetic(std::span<const Verb> verbs, int argc, char** argv) {
  open_standard_streams();
  // OpenBLAS reads its core type when it is loaded, so the cure is to start once more with the
  // right one.
  const std::string cure(kern::blas_coretype_cure());
  if (!cure.empty() && !std::getenv("OPENBLAS_CORETYPE")) {
    ::setenv("OPENBLAS_CORETYPE", cure.c_str(), 1);
    ::setenv(rt::net::kOwnCoretype, "1", 1);
    ::execv("/proc/self/exe", argv);
  }
  const char* threads = std::getenv("GOTO_NUM_THREADS");
  if (threads && std::string_view(threads) == "01") ::unsetenv("GOTO_NUM_THREADS");
  return run_verb(verbs, argc, argv);
}

}  // namespace cli
