// Keys of values: the XXH3-128 of their canonical bytes. See runtime/base/hash.h for Key and
// Hasher.
#pragma once

#include "runtime/base/file.h"
#include "runtime/base/hash.h"
#include "runtime/codec.h"

namespace rt {

/// The key of a value's canonical bytes: equal for equal values on every machine. Pure.
template <class T>
[[nodiscard]] Key key_of(const T& value) {
  return hash_bytes(encode(value));
}

/// The key of a file's content (not of its name). Reads it once in blocks of 1 MiB.
/// Throws rt::Error (storage) when it cannot be read.
[[nodiscard]] Key key_of_file(const Path& path);

}  // namespace rt
