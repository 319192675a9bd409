#pragma once
// The frame of a page: head, policy, navigation, sections, data and script.

#include <string>
#include <vector>

#include "hpo/report/page_files.h"
#include "hpo/report/section.h"

namespace hpo::report {

/// `title`: of the window; `summary`: one sentence for those who list pages; `data`: the elements
/// that the script reads.
struct Page {
  std::string name;
  std::string title;
  std::string summary;
  std::vector<Section> sections;
  std::string data;
  std::string version;
  const PageFile* script = &kStudyScript;
  /// Of a page that a server sends: where its script and its style are. Empty: they are in the
  /// page, as is its policy, which a server sends beside it.
  std::string assets = {};
  std::string script_file = "page.js";  ///< the script's name there
  std::string banner = {};              ///< HTML before the sections
};

[[nodiscard]] std::string html_of(const Page& page);

}  // namespace hpo::report
