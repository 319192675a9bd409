// Values that must not change unnoticed, printed for golden.py: one a line, its parts separated by
// tabs.
#pragma once

#include <string>

namespace golden {

/// Prints a call of every pure task: entry, task, version, canonical bytes of the constants in
/// hexadecimal digits, key. The fingerprint is fixed, so no line depends on the machine.
void print_calls();

/// Trains small networks through the tasks and prints, for each: entry, checksum of the trained
/// slab. With `only` that training alone; an unknown one throws std::invalid_argument. Where a
/// training is impossible here, its line is: entry, "skip", reason.
void print_trainings(const std::string& only);

/// Prints the checksum of the weights in a model file.
void print_model(const std::string& path);

}  // namespace golden
