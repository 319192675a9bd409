#pragma once
// The elements of a page that hold data. No browser takes them for a script.

#include <string>
#include <string_view>

#include "base/text.h"
#include "hpo/report/pack.h"

namespace hpo::report {

inline std::string data_element(std::string_view id, std::string_view json) {
  return base::cat("<script type=\"application/json\" id=\"", id, "-data\">", json, "</script>\n");
}

/// Two elements: what there is, and the columns.
inline std::string columns_element(std::string_view id, const Pack& pack) {
  return base::cat(data_element(base::cat(id, "-names"), pack.contents()),
                   "<script type=\"text/plain\" id=\"", id, "-columns\">", pack.text(),
                   "</script>\n");
}

}  // namespace hpo::report
