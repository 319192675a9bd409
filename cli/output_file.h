#pragma once
// Where `--output FILE` leads.

#include <optional>
#include <string_view>

#include "cli/arguments.h"
#include "runtime/base/file.h"

namespace cli {

/// A file that appears whole or not at all, whatever stood there before; a device or a pipe is
/// written as it is. Throws rt::Error (storage).
class OutputFile {
 public:
  explicit OutputFile(rt::Path path);
  /// Without finish(), nothing was written.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  /// Makes `part_` the name of what was written; 0, or an errno.
  [[nodiscard]] int give_name();

  rt::Path shown_;  ///< as given, for messages
  rt::Path path_;   ///< links followed
  rt::Path part_;   ///< what becomes the file in the end; empty for a device or a pipe
  rt::File file_;
  bool named_ = false;  ///< a name leads to `file_`; false: it is gone without finish()
};

/// For a verb whose result people go on to edit. Throws rt::Error (storage) where --output names a
/// file that exists, which is not the one that standard output goes to.
void require_new_output(const Arguments& arguments);

/// The file of --output, so that a verb learns that it cannot be written before it does anything;
/// empty: the terminal.
[[nodiscard]] std::optional<OutputFile> open_output(const Arguments& arguments);

/// Writes a verb's whole result to the file of --output, or to the terminal without that.
void write_result(std::optional<OutputFile>& output, std::string_view text);
void write_result(const Arguments& arguments, std::string_view text);

}  // namespace cli
