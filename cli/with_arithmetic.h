#pragma once
// The start of the two programs that link OpenBLAS and oneDNN.

#include <span>

#include "cli/verb.h"

namespace cli {

/// Runs run_verb(). Where OpenBLAS would not recognise this processor, first restarts the program
/// (execv) with OPENBLAS_CORETYPE set; if that fails, continues without.
int run_with_arithmetic(std::span<const Verb> verbs, int argc, char** argv);

}  // namespace cli
