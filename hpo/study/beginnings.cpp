#include "hpo/study/beginnings.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "hpo/space/space.h"
#include "hpo/study/substitute.h"
#include "hpo/study/writer.h"

namespace hpo {

namespace {

using Names = std::set<std::string, std::less<>>;

/// Adds the parameters that a section refers to outside of `later`.
void collect_others(const study::Node& section, std::initializer_list<std::string_view> later,
                    Names& names) {
  for (const study::Entry& field : section.entries) {
    if (std::ranges::find(later, field.key) != later.end()) continue;
    study::collect_names(field.value, names);
  }
}

/// Of a rate that changes by epochs only the first pair counts.
void collect_of_training(const study::Node& train, Names& names) {
  collect_others(train, {"epochs", "schedule", "optimizer"}, names);
  const study::Node& optimizer = *train.find("optimizer");
  collect_others(optimizer, {"lr"}, names);
  const study::Node* lr = optimizer.find("lr");
  if (lr != nullptr) study::collect_names(lr->is_list() ? lr->items.front() : *lr, names);
}

}  // namespace

bool trials_begin_alike(const StudySpec& study) {
  Names at_once;  // what reaches a trial's first epoch
  const study::Node root = study::written(study);
  for (const study::Entry& section : root.entries) {
    if (section.key == "adapt") continue;
    if (section.key == "train")
      collect_of_training(section.value, at_once);
    else if (section.key == "resources")
      collect_others(section.value, {"cpus", "memory"}, at_once);
    else
      study::collect_names(section.value, at_once);
  }
  return std::ranges::any_of(study.space.parameters(), [&](const Parameter& parameter) {
    return !at_once.contains(parameter.name);
  });
}

}  // namespace hpo
