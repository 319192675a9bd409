#pragma once
// The safetensors file format: an 8-byte little-endian length, a JSON header
// {"__metadata__": {NAME: TEXT, ...}, TENSOR: {"dtype", "shape", "data_offsets"}, ...}, then the
// bytes of all tensors, one after the other without holes. A format that Python opens and that can
// not carry code. Files are hostile until proven otherwise: every claim is checked against the
// size of the file before anything is done with it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nn {

/// A tensor's description; its bytes are bytes [begin, end) of the file's data part, little-endian.
struct TensorEntry {
  std::string name;
  std::string dtype;  ///< "F32", "F64", "U8", ...: see dtype_size
  std::vector<std::int64_t> shape;
  std::size_t begin = 0, end = 0;
};

/// A tensor to be written; the bytes are borrowed.
struct TensorBytes {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

using TensorMetadata = std::map<std::string, std::string>;

/// A file in memory.
struct Safetensors {
  TensorMetadata metadata;
  std::vector<TensorEntry> tensors;  ///< in the order of their bytes
  std::vector<std::byte> data;       ///< the data part

  /// The entry called `name`, or null.
  [[nodiscard]] const TensorEntry* find(std::string_view name) const;
  [[nodiscard]] std::span<const std::byte> bytes(const TensorEntry& entry) const;
};

/// Most bytes of a header, and most levels of its JSON, that are read.
inline constexpr std::size_t kMaxTensorHeader = std::size_t{16} << 20;
inline constexpr int kMaxTensorHeaderDepth = 4;

/// Bytes of one element, or 0 for a type that is not read: BOOL U8 I8 U16 I16 F16 BF16 U32 I32 F32
/// U64 I64 F64.
[[nodiscard]] std::size_t dtype_size(std::string_view dtype);

/// The bytes of a file, the data part aligned to 64. Equal arguments give equal bytes. Throws
/// base::Error (internal) for doubled or reserved names, unknown types and shapes that do not match
/// their bytes.
[[nodiscard]] std::vector<std::byte> safetensors_bytes(std::span<const TensorBytes> tensors,
                                                       const TensorMetadata& metadata);

/// Reads a file's bytes; `path` is for messages. Throws base::Error (data) "path: what, expected"
/// for anything that is not exactly a safetensors file: a length beyond the file, bad JSON, doubled
/// names, unknown types, sizes that overflow or contradict each other, holes, overlaps, bytes left
/// over.
[[nodiscard]] Safetensors parse_safetensors(std::span<const std::byte> file,
                                            const std::string& path);

/// Reads a file from disk; refuses what is not a regular file.
[[nodiscard]] Safetensors read_safetensors(const std::string& path);

/// Writes a file so that `path` names either what it named before or the whole new file, even when
/// the machine stops: a temporary file beside it, fsync, rename, fsync of the folder. Throws
/// base::Error (storage) if it cannot be written, and as safetensors_bytes() does.
void write_safetensors(const std::string& path, std::span<const TensorBytes> tensors,
                       const TensorMetadata& metadata);

}  // namespace nn
