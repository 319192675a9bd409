#pragma once
// The scripts and the style of pages, as tools/join_page.py made them of the files in page/.

#include <string_view>

namespace hpo::report {

struct PageFile {
  std::string_view text;
  std::string_view hash;  ///< "sha256-...", for the page's policy
};

/// The script of each kind of page has what its pictures need and no more.
extern const PageFile kStudyScript, kNetworksScript, kComparisonScript;
extern const PageFile kStyle;
/// The script and the style of the page that `trellis serve` sends, for every kind of study.
extern const PageFile kLiveScript, kLiveStyle;
/// The scripts of its other pages.
extern const PageFile kListScript, kLoginScript;

}  // namespace hpo::report
