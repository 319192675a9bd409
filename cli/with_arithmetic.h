#pragma once
// How the programs start that load the arithmetic libraries.

#include <span>

#include "cli/verb.h"

namespace cli {

/// run_verb(), after OpenBLAS was told which core this processor has where it does not find out by
/// itself: that needs a second start of the program, which this function makes.
int run_with_arithmetic(std::span<const Verb> verbs, int argc, char** argv);

}  // namespace cli
