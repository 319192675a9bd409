#include "hpo/study/choices.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace hpo::study {

namespace {

/// A parameter of one or more alternatives of a choice.
struct Brought {
  Entry parameter;
  std::vector<std::string> alternatives;
};

void add(std::vector<Brought>& all, const std::string& choice, const std::string& alternative,
         const Entry& parameter) {
  const auto known = std::ranges::find_if(
      all, [&](const Brought& other) { return other.parameter.key == parameter.key; });
  if (known == all.end()) {
    all.push_back({parameter, {alternative}});
  } else if (same(known->parameter.value, parameter.value)) {
    known->alternatives.push_back(alternative);
  } else {
    fail(parameter.key_at,
         base::cat("parameters.", choice, ".choice has \"", base::printable(parameter.key, 64),
                   "\" in ", base::printable(known->alternatives.front(), 64), " and ",
                   base::printable(alternative, 64),
                   " with different values; use the same values or two names, such as ",
                   base::printable(alternative, 64), "_", base::printable(parameter.key, 64)));
  }
}

/// The parameter as it would be written with a `when` that names its choice.
Entry conditional(const Brought& brought, const Entry& choice) {
  Entry parameter = brought.parameter;
  const Position at = parameter.key_at;
  Node values{.kind = Node::Kind::list, .at = at};
  for (const std::string& alternative : brought.alternatives)
    values.items.push_back(plain_node(alternative, at));
  if (!parameter.value.is_map()) return parameter;  // the table of fields says what is wrong
  Node* when = parameter.value.find("when");
  if (when == nullptr) {
    parameter.value.entries.push_back({"when", at, map_node(at)});
    when = &parameter.value.entries.back().value;
  } else if (when->find(choice.key) != nullptr) {
    fail(when->at, base::cat("parameters.", parameter.key, ".when names \"", choice.key,
                             "\", whose choice already contains it; name only other parameters"));
  }
  if (when->is_map()) when->entries.push_back({choice.key, at, std::move(values)});
  return parameter;
}

std::vector<Brought> read_alternatives(const Entry& parameter, const Node& choice) {
  std::vector<Brought> brought;
  if (!choice.is_map() || choice.entries.empty()) {
    fail(choice.at, base::cat("parameters.", parameter.key, ".choice is ",
                              choice.is_map() ? "an empty map" : describe(choice),
                              ", expected a map from alternatives to their parameters such as "
                              "{svm: {c: {min: 1, max: 9}}, line: }"));
  }
  for (const Entry& alternative : choice.entries) {
    if (!alternative.value.is_null() && !alternative.value.is_map()) {
      fail(alternative.value.at,
           base::cat("parameters.", parameter.key, ".choice.", alternative.key, " is ",
                     describe(alternative.value), ", expected a map of parameters, or nothing"));
    }
    for (const Entry& own : alternative.value.entries)
      add(brought, parameter.key, alternative.key, own);
  }
  return brought;
}

void write_out(const Entry& parameter, std::vector<Entry>& out) {
  const Node* choice = parameter.value.find("choice");
  if (choice == nullptr) {
    out.push_back(parameter);
    return;
  }
  for (const Entry& entry : parameter.value.entries) {
    if (entry.key != "choice" && entry.key != "when") {
      fail(entry.key_at, base::cat("\"", base::printable(entry.key, 60),
                                   "\" cannot be used with choice; only when can"));
    }
  }
  const std::vector<Brought> brought = read_alternatives(parameter, *choice);
  Entry plain = parameter;
  for (Entry& entry : plain.value.entries) {
    if (entry.key != "choice") continue;
    Node values{.kind = Node::Kind::list, .at = entry.value.at};
    for (const Entry& alternative : choice->entries)
      values.items.push_back(plain_node(alternative.key, alternative.key_at));
    entry = {"values", entry.key_at, std::move(values)};
  }
  out.push_back(std::move(plain));
  for (const Brought& own : brought) write_out(conditional(own, parameter), out);
}

}  // namespace

void write_out_choices(Node& root) {
  Node* parameters = root.find("parameters");
  if (parameters == nullptr) return;
  std::vector<Entry> all;
  for (const Entry& parameter : parameters->entries) {
    const std::size_t before = all.size();
    write_out(parameter, all);
    for (std::size_t i = before; i < all.size(); ++i) {
      const auto earlier =
          std::ranges::find_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before),
                               [&](const Entry& entry) { return entry.key == all[i].key; });
      if (earlier == all.begin() + static_cast<std::ptrdiff_t>(before)) continue;
      fail(all[i].key_at, base::cat("the parameter name \"", base::printable(all[i].key, 64),
                                    "\" is used twice; parameter names must be unique"));
    }
  }
  parameters->entries = std::move(all);
}

}  // namespace hpo::study
