// The one exception class of the program and the kinds of failure a user can tell apart.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace base {

/// Kinds of failure, named after what the user has to look at. The kind decides the exit code, the
/// message says the rest.
enum class Errc {
  usage,      ///< the command line or a call of the C++ interface was wrong
  study,      ///< the study file is wrong
  data,       ///< a data file, checkpoint or stored value is wrong
  storage,    ///< the file system refused: full, read-only, missing, no permission
  locked,     ///< another process holds the study
  no_device,  ///< nothing here can run it: no such worker, device or amount of memory
  cancelled,  ///< stopped on request; not a fault
  internal,   ///< our own mistake
};

/// Exit code of the program for a kind: usage 2, study and data 3, storage 4, locked 5, no_device
/// 6, cancelled 75, internal 70.
[[nodiscard]] int exit_code(Errc kind) noexcept;

/// The kind's name as it stands in the enumeration, for logs and JSON.
[[nodiscard]] std::string_view errc_name(Errc kind) noexcept;

/// A failure that ends the operation. `what()` is one line: where, what was wrong, what was
/// expected, what to do. Copyable without allocation failure surprises (it is kept in poisoned
/// values and rethrown from several threads).
class Error : public std::runtime_error {
 public:
  Error(Errc kind, const std::string& message);
  ~Error() override;
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;

  [[nodiscard]] Errc kind() const noexcept { return kind_; }

 private:
  Errc kind_;
};

/// Words for an errno value ("No space left on device"); thread-safe, unlike strerror.
[[nodiscard]] std::string errno_words(int code);

}  // namespace base
