#pragma once
// One event file of TensorBoard: records of TFRecord, each an Event message with a checksum of its
// length and one of its bytes (tensorboard/compat/proto/event.proto, summary.proto).

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/protobuf.h"

namespace hpo {

/// Returns the CRC-32C (Castagnoli) of some bytes.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes);

/// Returns a moment as TensorBoard has it: seconds since 1970.
[[nodiscard]] inline double event_seconds(std::int64_t micros) {
  return static_cast<double>(micros) * 1e-6;
}

/// Collects events. Moments are microseconds since 1970.
class EventFile {
 public:
  explicit EventFile(std::int64_t begun);

  /// Appends a number of a curve as a double, which is what the log has. TensorBoard's own writers
  /// keep floats.
  void scalar(std::int64_t at, std::int64_t step, const std::string& tag, double value);
  /// Appends a message of the plugin `hparams`.
  void hparams(std::int64_t at, const std::string& tag, const base::ProtoMessage& data);

  [[nodiscard]] const std::string& text() const { return text_; }

  /// Writes the file. Where its beginning stands there already, as after an export of the same
  /// study some trials ago, the rest is appended, for readers that follow the file. Throws
  /// base::Error (storage).
  void write(const base::Path& path) const;

 private:
  void summary(std::int64_t at, std::int64_t step, const base::ProtoMessage& value);
  void record(const base::ProtoMessage& event);

  std::set<std::string> tags_;  ///< of scalars so far
  std::string text_;
};

}  // namespace hpo
