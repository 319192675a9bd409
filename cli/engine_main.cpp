// The program that runs tasks: it loads the arithmetic libraries and, through the runtime, StarPU.

#include "cli/verbs.h"
#include "cli/with_arithmetic.h"

int main(int argc, char** argv) {
  return cli::run_with_arithmetic(cli::engine_verbs(), argc, argv);
}
