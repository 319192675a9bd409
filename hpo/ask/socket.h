#pragma once
// The local socket in a study's folder, through which its keeper is spoken to.

#include <cstddef>
#include <optional>

#include "runtime/base/file.h"

namespace hpo {

/// Version of what is said over it; grows when a client of today would misunderstand an answer.
inline constexpr int kAskProtocol = 1;

inline constexpr const char* kAskSocket = "ask.sock";

/// Bytes that a line may have, in both directions.
inline constexpr std::size_t kLongestAskLine = std::size_t{1} << 20;

/// Listens in `folder`, in place of whoever did before: only for the holder of the study's lock.
/// Only processes of the same user can connect. The socket does not block. Throws rt::Error
/// (storage).
[[nodiscard]] rt::File listen_in(const rt::Path& folder);

/// A connection to whoever listens in `folder`; nothing where nobody does. Throws rt::Error
/// (storage) where the system refuses otherwise.
[[nodiscard]] std::optional<rt::File> connect_in(const rt::Path& folder);

}  // namespace hpo
