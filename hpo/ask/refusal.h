#pragma once
// The error that a call of the ask interface is answered with.

#include <string>

#include "base/error.h"

namespace hpo {

/// A usage error with this message, for the caller to throw.
[[nodiscard]] inline base::Error refusal(const std::string& message) {
  return {base::Errc::usage, message};
}

}  // namespace hpo
