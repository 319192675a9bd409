#include "base/error.h"

#include <system_error>

namespace base {

int exit_code(Errc kind) noexcept {
  switch (kind) {
    case Errc::usage:
      return 2;
    case Errc::study:
      return 3;
    case Errc::data:
      return 3;
    case Errc::storage:
      return 4;
    case Errc::locked:
      return 5;
    case Errc::no_device:
      return 6;
    case Errc::cancelled:
      return 75;  // EX_TEMPFAIL: run the same command again
    case Errc::internal:
      return 70;  // EX_SOFTWARE
  }
  return 70;
}

std::string_view errc_name(Errc kind) noexcept {
  switch (kind) {
    case Errc::usage:
      return "usage";
    case Errc::study:
      return "study";
    case Errc::data:
      return "data";
    case Errc::storage:
      return "storage";
    case Errc::locked:
      return "locked";
    case Errc::no_device:
      return "no_device";
    case Errc::cancelled:
      return "cancelled";
    case Errc::internal:
      return "internal";
  }
  return "internal";
}

Error::Error(Errc kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
Error::~Error() = default;

std::string errno_words(int code) { return std::generic_category().message(code); }

}  // namespace base
