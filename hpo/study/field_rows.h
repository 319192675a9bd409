#pragma once
// Rows of the table of fields that are about how trials run, whatever they compute. Only for
// fields.cpp, which puts the table together.

#include <vector>

#include "hpo/study/field.h"

namespace hpo::study {

[[nodiscard]] std::vector<Field> command_rows();
[[nodiscard]] std::vector<Field> limit_rows();
[[nodiscard]] std::vector<Field> resource_rows();
[[nodiscard]] std::vector<Field> keeping_rows();

}  // namespace hpo::study
