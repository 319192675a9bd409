// Contents that another process has made and keeps.
#pragma once

#include "base/hash.h"
#include "runtime/core/version.h"

namespace rt::inline v0::detail {

/// Beside a box whose content is elsewhere, for as long as the box lives. Versions that hold the
/// box are ready: who needs the content itself waits for it.
struct Away {
  base::Key key;
  bool asked = false;          ///< driver: it is on its way
  Failure* failure = nullptr;  ///< it cannot be had; valid once arrived
  WaiterList arrived;          ///< closed once it is here, or cannot be had

  explicit Away(base::Key named) noexcept : key(named) {}
  Away(const Away&) = delete;
  Away& operator=(const Away&) = delete;
  ~Away() {
    if (failure != nullptr) failure->unref();
  }
};

/// Whether the content of a ready version is elsewhere still.
[[nodiscard]] inline bool is_away(const Version& version) noexcept {
  return version.at() == Stage::ready && version.box && version.box->away != nullptr &&
         !version.box->away->arrived.is_closed();
}

}  // namespace rt::inline v0::detail
