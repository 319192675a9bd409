// The program that runs tasks: it loads the arithmetic libraries and, through the runtime, StarPU.

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/standard_streams.h"
#include "cli/verb.h"
#include "cli/verbs.h"
#include "kernels/kernels.h"

int main(int argc, char** argv) {
  cli::open_standard_streams();
  // OpenBLAS reads its core type when it is loaded, so the cure is to start once more with the
  // right one.
  std::string cure(kern::blas_coretype_cure());
  if (!cure.empty() && !std::getenv("OPENBLAS_CORETYPE")) {
    ::setenv("OPENBLAS_CORETYPE", cure.c_str(), 1);
    ::execv("/proc/self/exe", argv);
  }
  const char* threads = std::getenv("GOTO_NUM_THREADS");
  if (threads && std::string_view(threads) == "01") ::unsetenv("GOTO_NUM_THREADS");
  return cli::run_verb(cli::engine_verbs(), argc, argv);
}
