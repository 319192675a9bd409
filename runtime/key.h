// Keys of values: the XXH3-128 of their canonical bytes (Key, Hasher: base/hash.h).

#pragma once

#include <span>

#include "base/file.h"
#include "base/hash.h"
#include "runtime/codec.h"

namespace rt::inline v0 {

/// The key of a value's canonical bytes: equal for equal values on every machine. Pure.
template <class T>
[[nodiscard]] base::Key key_of(const T& value) {
  return base::hash_bytes(encode(value));
}

/// The key of a file's content (not of its name). Reads it once in blocks of 1 MiB.
/// Throws base::Error (storage) when it cannot be read.
[[nodiscard]] base::Key key_of_file(const base::Path& path);
/// The same for the bytes of a file.
[[nodiscard]] base::Key key_of_file(std::span<const std::byte> content);

}  // namespace rt::inline v0
