#pragma once
// What a parameter may be, from the study file and back.

#include "hpo/space/parameter.h"
#include "hpo/study/node.h"

namespace hpo::study {

/// The domain of one entry of `parameters` that a Checker has passed. Throws a StudyError where its
/// keys make no sense together; what fault_of says about the numbers is left to the space.
[[nodiscard]] Domain read_domain(const Entry& parameter);

/// What one would write to get this domain, with nothing left to a default.
[[nodiscard]] Node domain_node(const Domain& domain);

/// A value as the file would write it.
[[nodiscard]] Node value_node(const ParamValue& value);

}  // namespace hpo::study
