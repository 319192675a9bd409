#include "hpo/study/from.h"

#include <filesystem>

#include "base/text.h"
#include "hpo/study/places.h"
#include "hpo/study/source.h"
#include "hpo/study/words.h"

namespace hpo {

void refuse_from(const StudySpec& study, std::string_view key, const std::string& problem) {
  const std::string path = base::cat("from.", key);
  const std::string_view value = key == "model"    ? study.from->model
                                 : key == "replay" ? study.from->replay
                                                   : study::to_word(study.from->optimizer);
  std::string_view what = problem;
  if (what.starts_with("is ")) what.remove_prefix(3);
  const std::string shown = study::describe(study::string_node(std::string(value), {}));
  study::with_place(study.file, [&] {
    throw study::StudyError(study.places->at(path), base::cat(path, " is ", shown, ", ", what));
  });
  throw base::Error(base::Errc::internal, "refuse_from returned");
}

namespace study {

void write_out_from(Node& root) {
  Node* from = root.find("from");
  if (from == nullptr || !from->is_scalar()) return;
  Node map = map_node(from->at);
  map.entries.push_back({"model", from->at, *from});
  *from = std::move(map);
}

void locate_from(StudySpec& study) {
  if (!study.from) return;
  std::string& model = study.from->model;
  model = (std::filesystem::path(study.folder) / model).lexically_normal().string();
  std::string& replay = study.from->replay;
  if (!replay.empty()) replay = located({replay}, "from.replay", study);
}

}  // namespace study

}  // namespace hpo
