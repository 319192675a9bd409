#include "hpo/study/beginnings.h"

#include <algorithm>
#include <set>
#include <string>

#include "hpo/space/space.h"
#include "hpo/study/document.h"
#include "hpo/study/substitute.h"

namespace hpo {

bool trials_begin_alike(const StudySpec& study) {
  std::set<std::string, std::less<>> at_once;  // what reaches a trial's first epoch
  for (const study::Entry& section : study.document->root.entries) {
    if (section.key == "adapt") continue;
    if (section.key != "train") {
      study::collect_names(section.value, at_once);
      continue;
    }
    for (const study::Entry& field : section.value.entries)
      if (field.key != "epochs") study::collect_names(field.value, at_once);
  }
  for (const Parameter& parameter : study.space.parameters())
    for (const Condition& condition : parameter.when) at_once.insert(condition.parameter);
  return std::ranges::any_of(study.space.parameters(), [&](const Parameter& parameter) {
    return !at_once.contains(parameter.name);
  });
}

}  // namespace hpo
