#pragma once
// `$name`, `${name}`, `${name?text if true:text if false}` and `$$`.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hpo/space/params.h"
#include "hpo/study/node.h"

namespace hpo::study {

/// The parameters that a scalar refers to. `whole`: the scalar is nothing but one reference, and
/// takes the value with its type; otherwise the values' texts are put into a longer text.
struct References {
  std::vector<std::string> names;
  bool whole = false;
};

/// Throws a StudyError for a dollar that begins neither a name nor `$$`. Quotes make no difference:
/// `${name}` needs them inside braces.
[[nodiscard]] References references(const Node& scalar);

/// Adds the parameters that a tree refers to.
void collect_names(const Node& node, std::set<std::string, std::less<>>& names);

/// True for [A-Za-z_][A-Za-z0-9_]*: what can stand after a dollar.
[[nodiscard]] bool is_parameter_name(std::string_view name);

/// Whether substitution leaves the tree as it is, whatever the params: there is no dollar in it.
[[nodiscard]] bool stands_for_itself(const Node& node);

/// The tree with values in place of references and single dollars in place of double ones. A key or
/// list item that refers to a parameter without a value (an inactive one) is left out, and so is
/// one that is nothing but a choice of an empty text; none when that is the whole tree. Throws a
/// StudyError where a parameter that chooses is no bool.
[[nodiscard]] std::optional<Node> substitute(const Node& node, const Params& params);

/// The same for a tree without references: only doubled dollars change. Throws StudyError for one
/// that has some.
[[nodiscard]] Node unescape(const Node& node);

/// A text with its dollars doubled, so that it stands for itself.
[[nodiscard]] std::string escape(const std::string& text);

}  // namespace hpo::study
