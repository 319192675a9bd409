#pragma once
// Checks a tree against the table of fields and puts it into one canonical form.

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hpo/space/space.h"
#include "hpo/study/field.h"
#include "hpo/study/node.h"

namespace hpo::study {

/// Values that stand for all a parameter can be: the ends of a range, every value of a list.
[[nodiscard]] std::vector<ParamValue> samples(const Domain& domain);

/// One pass over one file, or over a part of it after substitution. The canonical form: keys in the
/// order of the table, defaults filled in, scalars in their canonical text, kinds as {type: NAME,
/// field: value} with the kind first. References stay as they are; what they can become is checked
/// against the space: every value of a list, both ends of a range. Throws a StudyError at the first
/// thing that is wrong.
class Checker {
 public:
  /// `space` gives references their meaning and must outlive the checker; an empty one forbids
  /// them.
  explicit Checker(const Space& space);

  /// For trees after substitution, where a dollar is a dollar.
  [[nodiscard]] static Checker of_values();

  /// `where` is the field's path, for messages.
  [[nodiscard]] Node check(const Node& node, const Field& field, const std::string& where);

  /// Names of the parameters that were referred to so far.
  [[nodiscard]] const std::set<std::string, std::less<>>& used() const { return used_; }

 private:
  [[nodiscard]] bool refers(const Node& node) const;
  Node check_one(const Node& node, const Field& field, const std::string& where);
  Node check_list(const Node& node, const Field& field, const std::string& where);
  Node check_course(const Node& node, const Field& field, const std::string& where);
  Node check_half(const Node& half, const Field& field, const std::string& where);
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> epoch_range(const Node& epoch,
                                                                  const std::string& where) const;
  Node check_leaf(const Node& node, const Field& field, const std::string& where);
  Node check_reference(const Node& node, const Field& field, const std::string& where);
  void check_whole_reference(const Node& node, const Parameter& parameter, const Field& field,
                             const std::string& where);
  Node check_block(const Node& node, const Field& block, const std::string& where,
                   const std::string& context);
  Node check_blocks(const Node& node, const Field& field, const std::string& where);
  Node check_numbers(const Node& node, const Field& field, const std::string& where);
  Node check_bounds(const Node& node, const Field& field, const std::string& where);
  Node check_timetable(const Node& node, const Field& field, const std::string& where);
  Node check_kind(const Node& node, const Field& field, const std::string& where);
  Node check_open_kind(const Node& chosen, const Field& field, const std::string& where);
  [[nodiscard]] std::vector<std::string> words_of(const Field& field) const;
  [[nodiscard]] bool applies(const Field& field) const;
  void check_key(const Entry& entry, const Field& block, const std::string& where,
                 const std::string& context);
  std::optional<Node> fallback(const Field& field, const std::string& where, Position at);
  void check_always_active(const Node& value, const Field& field, const std::string& where);
  const Parameter& find_parameter(const std::string& name, const Node& node,
                                  const std::string& where);

  const Space* space_;
  std::unordered_map<std::string_view, const Parameter*> parameters_;
  std::set<std::string, std::less<>> used_;
  bool literal_ = false;  // dollars have no meaning
  std::string source_;    // "csv" or "idx" within `data`; outside, "data" or "command"
  std::vector<std::string> target_metrics_;  // of the study's single targets
  std::string kind_parameter_;               // within a kind whose type is a parameter: its name
};

}  // namespace hpo::study
