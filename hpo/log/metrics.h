#pragma once
// Looking into a list of metrics, whose names stand once each.

#include <string>

#include "hpo/log/event.h"

namespace hpo {

/// The value of that name, or null.
[[nodiscard]] const double* find_metric(const Metrics& metrics, const std::string& name);

/// Gives a name a value, the old one lost; a new name goes to the end.
void put_metric(Metrics& metrics, const std::string& name, double value);

/// Returns the metric of the test part that one of the validation part stands for: "test.loss" for
/// "valid.loss"; a name without a part stays.
[[nodiscard]] std::string tested_as(const std::string& metric);

/// Equal, or both no number.
[[nodiscard]] bool same_number(double a, double b);

}  // namespace hpo
