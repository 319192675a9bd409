#pragma once
// Parts of the table of fields that have a file of their own. Only for fields.cpp, which puts the
// table together.

#include <vector>

#include "hpo/study/field.h"

namespace hpo::study {

/// Everything under `data`.
[[nodiscard]] std::vector<Field> data_rows();

/// `network`, and everything under `train`.
[[nodiscard]] std::vector<Field> train_rows();

[[nodiscard]] std::vector<Field> command_rows();
[[nodiscard]] std::vector<Field> limit_rows();
[[nodiscard]] std::vector<Field> resource_rows();
[[nodiscard]] std::vector<Field> keeping_rows();

}  // namespace hpo::study
