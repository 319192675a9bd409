#pragma once
// Names as MLflow takes them.

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace hpo {

/// Longest text of a parameter and of a tag, in bytes; MLflow refuses longer ones.
inline constexpr std::size_t kMostParamBytes = 6000, kMostTagBytes = 5000;

/// The text itself, or its beginning with "..." behind it; never a part of a character.
[[nodiscard]] std::string cut_text(std::string_view text, std::size_t most);

/// Gives each name of a study one that MLflow takes, always the same for names in the same order.
class MlflowNames {
 public:
  /// Returns the name with each character that MLflow refuses replaced by an underscore; a number
  /// is added where that name is taken.
  [[nodiscard]] std::string of(const std::string& name);

 private:
  std::map<std::string, std::string> known_;
  std::set<std::string> taken_;
};

}  // namespace hpo
