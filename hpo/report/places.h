#pragma once
// Takes out of texts what names a machine or its owner, since reports get mailed.

#include <string>
#include <string_view>
#include <vector>

namespace hpo::report {

/// Absolute paths become their last part; names of hosts become "host".
class Places {
 public:
  /// Leaves all texts as they are.
  Places() = default;
  /// `resolved`: the study file, whose paths are known exactly, blanks included.
  Places(std::vector<std::string> hosts, std::string_view resolved);

  [[nodiscard]] std::string hidden(std::string_view text) const;

 private:
  bool hides_ = false;
  std::vector<std::string> hosts_;
  std::vector<std::string> known_;  ///< absolute paths, the longest first
};

}  // namespace hpo::report
