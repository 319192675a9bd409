#pragma once
// `net/` in a study's folder: the keys of those who may connect, and where the driver is.

#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "runtime/net/transport.h"

namespace hpo {

/// The folder has the mode 0700 and its files 0600: who can read them can be an agent.
class NetFolder {
 public:
  explicit NetFolder(const base::Path& study);

  /// Makes it where it is missing. Throws base::Error (storage).
  void make() const;

  /// The study's authority, made when it is first asked for. Throws base::Error: storage, data for
  /// damaged files, no_device where the transport is missing.
  [[nodiscard]] rt::net::Authority authority() const;

  /// Its certificate. Throws base::Error (storage) where there is none.
  [[nodiscard]] std::string certificate() const;

  struct Driver {
    std::string address;  ///< host:port
    std::int64_t epoch = 0;
  };
  /// Says where the driver is.
  void publish(const Driver& driver) const;
  /// There is none that takes agents in.
  void retract() const;
  /// Where it said it is; nothing where none has.
  [[nodiscard]] std::optional<Driver> driver() const;

  [[nodiscard]] const base::Path& path() const noexcept { return path_; }

 private:
  base::Path path_;
};

}  // namespace hpo
