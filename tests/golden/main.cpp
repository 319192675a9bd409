// Prints values for golden.py, which compares them with keys.json.

#include <exception>
#include <iostream>
#include <string>

#include "kernels/kernels.h"
#include "tests/golden/values.h"

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "", more = argc > 2 ? argv[2] : "";
  try {
    if (what == "calls") {
      golden::print_calls();
    } else if (what == "trainings") {
      golden::print_trainings(more);
    } else if (what == "model") {
      golden::print_model(more);
    } else if (what == "arithmetic") {
      std::cout << kern::fingerprint() << '\n';
    } else {
      std::cerr << "usage: golden-values calls | trainings [ENTRY] | model FILE | arithmetic\n";
      return 2;
    }
  } catch (const std::exception& error) {
    std::cerr << "golden-values: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
