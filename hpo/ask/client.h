#pragma once
// The other end of a study's socket.

#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"

namespace hpo {

/// One connection. Not thread-safe.
class AskClient {
 public:
  /// Connects and hears the greeting; nothing where nobody keeps the study in `folder`. Throws
  /// base::Error (usage) for a keeper that speaks another version of the protocol.
  [[nodiscard]] static std::optional<AskClient> connect(const base::Path& folder);

  /// Sends a line, without its end, and returns the answer; nothing where the keeper is gone: then
  /// nobody knows whether it took what was sent. Throws base::Error for an answer
  /// that is a refusal, and at once (usage) for a line that no keeper would take.
  [[nodiscard]] std::optional<std::string> call(std::string_view line);

  [[nodiscard]] const std::string& greeting() const { return greeting_; }

 private:
  explicit AskClient(base::File socket) : socket_(std::move(socket)) {}
  [[nodiscard]] std::optional<std::string> read_line();

  base::File socket_;
  std::string buffer_;
  std::string greeting_;
};

}  // namespace hpo
