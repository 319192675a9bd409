#pragma once
// Where `--output FILE` leads.

#include <optional>
#include <string_view>

#include "base/file.h"
#include "base/new_file.h"
#include "cli/arguments.h"

namespace cli {

/// A file that appears whole or not at all, whatever stood there before; a device or a pipe is
/// written as it is. Throws base::Error (storage).
class OutputFile {
 public:
  explicit OutputFile(base::Path path);

  void write(std::string_view text);
  /// Gives the file its name; until then what stands there is unchanged.
  void finish();

 private:
  base::Path shown_;                  ///< as given, for messages
  base::Path path_;                   ///< links followed
  std::optional<base::NewFile> new_;  ///< what becomes the file; none for a device or a pipe
  base::File open_;                   ///< the device, pipe or own output
};

/// For a verb whose result people go on to edit. Throws base::Error (storage) where --output names
/// a file that exists, which is not the one that standard output goes to.
void require_new_output(const Arguments& arguments);

/// The file of --output, so that a verb learns that it cannot be written before it does anything;
/// empty: the terminal.
[[nodiscard]] std::optional<OutputFile> open_output(const Arguments& arguments);

/// Writes a verb's whole result to the file of --output, or to the terminal without that.
void write_result(std::optional<OutputFile>& output, std::string_view text);
void write_result(const Arguments& arguments, std::string_view text);

}  // namespace cli
