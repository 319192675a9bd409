#pragma once
// Errors with a place in the study file.

#include <exception>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace hpo::study {

/// Line and column as an editor counts them, from 1.
struct Position {
  int line = 1;
  int column = 1;
  bool operator==(const Position&) const = default;
};

/// An error at a position. The public functions of hpo/study turn it into `FILE:LINE:COL: ...`.
class StudyError : public std::exception {
 public:
  /// Escapes and shortens the message, which may hold words of the file, to one line.
  StudyError(Position at, std::string_view message);
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
  [[nodiscard]] Position at() const noexcept { return at_; }

 private:
  Position at_;
  std::string message_;
};

/// Throws a StudyError.
[[noreturn]] void fail(Position at, std::string_view message);

/// Runs `body` and turns a StudyError into the base::Error (study) that users see.
template <class Body>
auto with_place(const std::string& file, const Body& body) {
  try {
    return body();
  } catch (const StudyError& error) {
    constexpr std::size_t kMost = 4096;  // a path may hold anything, a message is one line
    throw base::Error(base::Errc::study,
                      base::cat(base::printable(file, kMost), ":", error.at().line, ":",
                                error.at().column, ": ", error.what()));
  }
}

}  // namespace hpo::study
