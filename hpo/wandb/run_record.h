#pragma once
// One record of a run of wandb, as far as it has numbers that the program logged
// (wandb_internal.proto of the wandb package).

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpo::wandb {

struct RunRecord {
  enum class Kind : char { other, history, summary };
  Kind kind = Kind::other;
  /// Names, nested ones joined by dots, and values as JSON in Python's words (NaN, Infinity).
  std::vector<std::pair<std::string, std::string>> values;
};

/// Throws base::Error (data) for bytes that are no message.
[[nodiscard]] RunRecord read_run_record(std::string_view bytes);

}  // namespace hpo::wandb
