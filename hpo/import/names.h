#pragma once
// Names of parameters in the words of a study file.

#include <map>
#include <set>
#include <string>

namespace hpo {

/// Gives each foreign name one of ours. Not thread-safe.
class Names {
 public:
  Names();

  /// A name that may stay as it is keeps itself, whatever others would become: to be said of all of
  /// them before the first is asked for.
  void keep(const std::string& theirs);

  /// Letters, digits and underscores of `theirs` (UTF-8), an underscore for each other letter, of a
  /// long one its end; numbered where another foreign name has become the same before. The same
  /// answer for the same name.
  const std::string& ours(const std::string& theirs);

 private:
  std::map<std::string, std::string> given_;
  std::set<std::string> taken_;  ///< at first what has a meaning of its own in a command
};

}  // namespace hpo
