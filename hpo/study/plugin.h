#pragma once
// Policies from shared libraries that a study file names.

#include <string>

#include "hpo/study/node.h"
#include "nn/adapt/policy.h"

namespace hpo::study {

/// Where `adapt` names a shared library, writes out what it leaves open: the policy, the absolute
/// path, the content. Throws a StudyError for a file that can't be read.
void locate_plugin(Node& root, const std::string& folder);

/// The policy that a block names; null where it names none. `literal`: dollars in it mean nothing.
/// Throws a StudyError where it can't be had.
[[nodiscard]] const nn::PolicyKind* plugin_of(const Node& block, bool literal);

}  // namespace hpo::study
