#pragma once
// The three ways to write what has a kind: NAME, {NAME: {field: value}}, {type: NAME, field:
// value}.

#include <string>
#include <vector>

#include "hpo/study/field.h"
#include "hpo/study/node.h"

namespace hpo::study {

/// What was written, whichever way: the kind's name (or a reference to a parameter) and its fields.
struct KindForm {
  Node type;
  std::vector<Entry> fields;
};

/// Throws a StudyError when `node` has none of the three forms.
[[nodiscard]] KindForm read_kind_form(const Node& node, const Field& field,
                                      const std::string& where);

/// The kind called `name`; throws a StudyError with the known ones, or saying that it comes later.
[[nodiscard]] const Kind& find_kind(const KindSet& set, const Node& name);

}  // namespace hpo::study
