#include "hpo/study/config_names.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/words.h"
#include "hpo/study/node.h"
#include "hpo/study/study_error.h"

namespace hpo {

namespace study {

namespace {

std::vector<std::string> names_in(const Entry& entry) {
  std::vector<std::string> names;
  if (entry.value.is_scalar()) names.push_back(entry.value.text);
  for (const Node& item : entry.value.items) {
    if (item.is_scalar()) names.push_back(item.text);
  }
  const bool all = entry.value.is_scalar() || names.size() == entry.value.items.size();
  if (!all || names.empty() || std::ranges::find(names, "") != names.end())
    throw StudyError(
        entry.value.at,
        base::cat("config_names.", base::printable(entry.key, 64), " is ", describe(entry.value),
                  ", expected a name or a list of names such as [model, lr]"));
  return names;
}

}  // namespace

void check_config_names(const StudySpec& study) {
  if (!study.config_names) return;
  const Node& map = study.config_names.node();
  if (study.library != Library::wandb)
    throw StudyError(map.at, "config_names needs library: wandb");
  if (!map.is_map())
    throw StudyError(map.at, base::cat("config_names is ", describe(map),
                                       ", expected a map such as {model_lr: [model, lr]}"));
  std::set<std::vector<std::string>> taken;
  for (const Entry& entry : map.entries) {
    if (study.space.find(entry.key) == nullptr) {
      std::vector<std::string> known;
      for (const Parameter& parameter : study.space.parameters()) known.push_back(parameter.name);
      throw StudyError(
          entry.key_at,
          base::cat("config_names has \"", base::printable(entry.key, 64),
                    "\", expected the name of a parameter", base::did_you_mean(entry.key, known)));
    }
    if (!taken.insert(names_in(entry)).second)
      throw StudyError(entry.value.at, base::cat("config_names.", base::printable(entry.key, 64),
                                                 " is a name that another parameter has"));
  }
}

}  // namespace study

std::map<std::string, std::vector<std::string>> config_names(const StudySpec& study) {
  std::map<std::string, std::vector<std::string>> names;
  if (!study.config_names) return names;
  for (const study::Entry& entry : study.config_names.node().entries)
    names.emplace(entry.key, study::names_in(entry));
  return names;
}

}  // namespace hpo
