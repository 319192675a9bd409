// Contents of values as bytes, for the store and for other processes.
#pragma once

#include <span>

#include "base/bytes.h"
#include "runtime/core/version.h"

namespace rt::inline v0::detail {

class Handles;

/// Makes the object of a box from its bytes. Throws base::Error (data) for other bytes.
void decode_content(Box& box, std::span<const std::byte> bytes);
/// A new box with that content; none for a type without content. Throws as decode_content.
[[nodiscard]] BoxRef decoded_box(const TypeOps& ops, std::span<const std::byte> bytes);
/// The bytes of a complete version whose content is here; waits until they have come from a device.
/// Driver thread only.
[[nodiscard]] base::Bytes encoded_content(const Version& version, Handles& handles);

}  // namespace rt::inline v0::detail
