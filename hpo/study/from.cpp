#include "hpo/study/from.h"

#include <filesystem>

#include "hpo/study/document.h"
#include "hpo/study/source.h"
#include "hpo/study/substitute.h"

namespace hpo {

namespace {

const study::Node* node_of(const StudySpec& study) {
  return study.document == nullptr ? nullptr : study.document->root.find("from");
}

}  // namespace

std::optional<From> from_of(const StudySpec& study) {
  const study::Node* node = node_of(study);
  if (node == nullptr) return std::nullopt;
  From from{.model = study::unescape(*node->find("model")).text, .replay = {}};
  if (const study::Node* replay = node->find("replay")) from.replay = study::unescape(*replay).text;
  if (const study::Node* optimizer = node->find("optimizer"))
    from.optimizer = optimizer->text == "keep" ? From::Optimizer::keep : From::Optimizer::anew;
  return from;
}

void refuse_from(const StudySpec& study, std::string_view key, const std::string& problem) {
  study::with_place(study.file, [&] {
    const study::Node& node = *node_of(study)->find(key);
    throw study::Fault(node.at, base::cat("from.", key, " is ", describe(node), ", ", problem));
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

void locate_from(Node& root, const std::string& folder) {
  Node* from = root.find("from");
  if (from == nullptr) return;
  Node& model = *from->find("model");
  const std::filesystem::path path = std::filesystem::path(folder) / unescape(model).text;
  model = string_node(escape(path.lexically_normal().string()), model.at);
  if (Node* replay = from->find("replay")) locate_file(*replay, folder);
}

}  // namespace study

}  // namespace hpo
