#include "runtime/core/contents.h"

#include "runtime/core/handles.h"

namespace rt::inline v0::detail {

void decode_content(Box& box, std::span<const std::byte> bytes) {
  box.ops->decode(box.object, bytes);
  box.made = true;
  if (box.ops->buffer) box.bytes = box.ops->byte_size(box.object);
}

BoxRef decoded_box(const TypeOps& ops, std::span<const std::byte> bytes) {
  if (&ops == type_ops<void>()) return {};
  BoxRef box(Box::create(ops));
  decode_content(*box.get(), bytes);
  return box;
}

base::Bytes encoded_content(const Version& version, Handles& handles) {
  base::Bytes bytes;
  if (!version.box) return bytes;
  const Box& box = *version.box.get();
  if (box.ops->buffer) handles.fetch(box);
  box.ops->encode(box.object, box.host_bytes(), bytes);
  return bytes;
}

}  // namespace rt::inline v0::detail
