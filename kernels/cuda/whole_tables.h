#pragma once
// The tables of a device, with what computes in the program's memory.

#include <map>

#include "kernels/kernels.h"

namespace kern {

[[nodiscard]] inline std::map<Precision, Kernels<float>> whole_tables(
    const Kernels<float>& (*of_device)(Precision)) {
  std::map<Precision, Kernels<float>> tables;
  for (const Precision precision : precisions()) {
    Kernels<float> table = of_device(precision);
    table.algebra = cpu_kernels().algebra;
    tables.emplace(precision, table);
  }
  return tables;
}

}  // namespace kern
