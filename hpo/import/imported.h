#pragma once
// What an importer makes of another tool's file.

#include <string>
#include <vector>

namespace hpo {

struct Imported {
  std::string yaml;                   ///< a study file, what was left out as comments at its top
  std::vector<std::string> left_out;  ///< a line for people each: what it was, what became of it
};

}  // namespace hpo
