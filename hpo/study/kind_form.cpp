#include "hpo/study/kind_form.h"

#include <algorithm>

#include "base/text.h"
#include "base/words.h"
#include "hpo/study/hints.h"
#include "hpo/study/scalars.h"

namespace hpo::study {

namespace {

KindForm from_single_key(const Entry& entry, const KindSet& set) {
  KindForm form{.type = plain_node(entry.key, entry.key_at), .fields = {}};
  if (entry.key.find('$') != std::string::npos) {
    throw StudyError(entry.key_at, base::cat("a parameter cannot be a key here; write {type: ",
                                             base::printable(entry.key, 64), ", ...}"));
  }
  const Kind& kind = find_kind(set, form.type);
  if (entry.value.is_null()) return form;
  const Field* first = kind.block.fields.empty() ? nullptr : &kind.block.fields[0];
  if (entry.value.is_list() && first != nullptr && first->count == Count::list) {
    form.fields.push_back({first->name, entry.value.at, entry.value});
    return form;
  }
  if (!entry.value.is_map()) {
    const std::string example = first == nullptr ? "nothing"
                                : first->count == Count::list
                                    ? expected(*first)
                                    : base::cat("a map such as {", first->name, ": ...}");
    throw StudyError(entry.value.at,
                     base::cat(kind.name, " is ", describe(entry.value), ", expected ", example));
  }
  form.fields = entry.value.entries;
  return form;
}

}  // namespace

KindForm read_kind_form(const Node& node, const Field& field, const std::string& where) {
  const KindSet& set = *field.kinds();
  if (node.is_scalar()) {
    KindForm form{.type = node, .fields = {}};
    if (!set.truth.empty() && !node.quoted && node.text == "true") form.type.text = set.truth;
    return form;
  }
  if (!node.is_map()) fail_unexpected(node, where, field);
  if (const Entry* type = node.find_entry(set.key)) {
    if (!type->value.is_scalar()) {
      throw StudyError(type->value.at, base::cat(set.key, " is ", describe(type->value),
                                                 ", expected ", expected(field)));
    }
    KindForm form{.type = type->value, .fields = {}};
    std::ranges::copy_if(node.entries, std::back_inserter(form.fields),
                         [&](const Entry& e) { return e.key != set.key; });
    return form;
  }
  for (const std::string_view key : {"name", "kind", "type"}) {
    const Entry* entry = node.find_entry(key);
    if (entry != nullptr && set.find(entry->value.text) != nullptr) {
      throw StudyError(entry->key_at, base::cat("\"", key, "\" does not choose the ", set.what,
                                                did_you_mean(set.key)));
    }
  }
  if (node.entries.size() == 1) return from_single_key(node.entries[0], set);
  const std::string example = set.kinds.empty() ? "NAME" : set.kinds[0].name;
  throw StudyError(node.at, base::cat(where, " has no ", set.key, ", expected {", set.key, ": ",
                                      example, ", ...} or {", example, ": {...}}"));
}

const Kind& find_kind(const KindSet& set, const Node& name) {
  if (const Kind* kind = set.find(name.text)) return *kind;
  const auto names = set.names();
  const std::string near = suggestion(set.what, name.text, names);
  const auto comes_later = [&](const std::string& word) {
    return std::ranges::count(set.later, word) > 0;
  };
  if (comes_later(near)) {
    throw StudyError(name.at, base::cat(set.what, " ", describe(name), " is called ", near,
                                        " here and is not available in this version, expected ",
                                        base::either(names)));
  }
  if (comes_later(name.text)) {
    throw StudyError(
        name.at, base::cat(set.what, " \"", name.text,
                           "\" is not available in this version, expected ", base::either(names)));
  }
  throw StudyError(name.at, base::cat("unknown ", set.what, " ", describe(name), ", expected ",
                                      base::either(names), did_you_mean(near)));
}

}  // namespace hpo::study
