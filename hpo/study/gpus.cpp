#include "hpo/study/gpus.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "hpo/study/document.h"
#include "runtime/base/text.h"

namespace hpo {

StudySpec with_gpus_by_size(const StudySpec& study, double gpu_from) {
  study::Document document = *study.document;
  study::Node& resources = *document.root.find("resources");
  std::erase_if(resources.entries, [](const study::Entry& entry) {
    return entry.key == "gpus" || entry.key == "gpu_from";
  });
  const std::string border = rt::format_double(std::min(gpu_from, kNoGpu));
  const auto behind = std::ranges::find(resources.entries, "cpus", &study::Entry::key) + 1;
  const study::Position at = resources.at;
  resources.entries.insert(behind, {{"gpus", at, study::plain_node("auto", at)},
                                    {"gpu_from", at, study::plain_node(border, at)}});
  StudySpec placed = study;
  placed.document = std::make_shared<const study::Document>(std::move(document));
  return placed;
}

}  // namespace hpo
