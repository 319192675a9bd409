#include "hpo/study/warm.h"

#include <filesystem>
#include <span>

#include "hpo/study/document.h"
#include "hpo/study/substitute.h"

namespace hpo {

namespace {

std::span<const study::Node> nodes_of(const StudySpec& study) {
  if (study.document == nullptr) return {};
  const study::Node* node = study.document->root.find("warm_start");
  if (node == nullptr) return {};
  return node->is_list() ? std::span(node->items) : std::span(node, 1);
}

}  // namespace

std::vector<std::string> warm_starts(const StudySpec& study) {
  std::vector<std::string> folders;
  for (const study::Node& node : nodes_of(study))
    folders.push_back((std::filesystem::path(study.folder) / study::unescape(node).text)
                          .lexically_normal()
                          .string());
  return folders;
}

void refuse_warm_start(const StudySpec& study, std::size_t i, const std::string& problem) {
  study::with_place(study.file, [&] {
    const study::Node& node = nodes_of(study)[i];
    throw study::Fault(node.at, base::cat("warm_start is ", describe(node), ", ", problem));
  });
  throw base::Error(base::Errc::internal, "refuse_warm_start returned");
}

}  // namespace hpo
