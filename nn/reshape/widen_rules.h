#pragma once
// What new units start with: the rules of widen.

#include <string>

#include "nn/reshape/kind.h"

namespace nn {

/// The network with the group at its new size, by the operation's rule.
template <class T>
[[nodiscard]] Net<T> widened(const ReshapeJob<T>& job, const std::string& group);

/// Throws SpecError when a rule can't serve this network.
void check_rule(const ModelSpec& spec, const Operation& operation, const std::string& group,
                std::int64_t fresh);

/// Whether a rule looks at gradients on the calibration rows.
[[nodiscard]] bool rule_needs_gradients(const std::string& rule);

/// The field `rule`, and `noise` of the rule replicate.
[[nodiscard]] FieldInfo rule_field();
[[nodiscard]] FieldInfo noise_field();

extern template Net<float> widened(const ReshapeJob<float>&, const std::string&);
extern template Net<double> widened(const ReshapeJob<double>&, const std::string&);

}  // namespace nn
