// The program of `trellis bench`, apart from the engine so that a first build does not wait for it.

#include "cli/verbs.h"
#include "cli/with_arithmetic.h"

int main(int argc, char** argv) { return cli::run_with_arithmetic(cli::bench_verbs(), argc, argv); }
