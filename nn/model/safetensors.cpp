#include "nn/model/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "nn/data/data_error.h"
#include "nn/data/source_file.h"

namespace nn {

namespace {

using base::Json;
constexpr std::size_t kAlignment = 64;
constexpr std::string_view kMetadata = "__metadata__";

[[noreturn]] void fail(const std::string& path, const std::string& text) {
  throw base::Error(base::Errc::data, path + ": " + text);
}

/// Bytes that a tensor of this type and shape takes; false when the product overflows.
bool tensor_bytes(const std::string& dtype, const std::vector<std::int64_t>& shape,
                  std::size_t& bytes) {
  bytes = dtype_size(dtype);
  for (const std::int64_t dim : shape) {
    if (dim < 0 || __builtin_mul_overflow(bytes, static_cast<std::size_t>(dim), &bytes)) {
      return false;
    }
  }
  return true;
}

// --- reading ---

/// Returns a name that an object in `json` has twice, or null.
const std::string* doubled_name(const Json& json) {
  if (const std::string* name = json.repeated_name()) return name;
  for (const auto& [key, value] : json.members()) {
    if (const std::string* name = doubled_name(value)) return name;
  }
  return nullptr;
}

Json parse_header(const std::string& path, std::string_view text) {
  Json header;
  try {
    header = Json::parse(text, {.depth = kMaxTensorHeaderDepth, .utf8 = true});
  } catch (const base::JsonError& error) {
    if (!error.too_deep()) fail(path, "the header is not valid JSON");
    fail(path,
         "the header is nested deeper than " + std::to_string(kMaxTensorHeaderDepth) + " levels");
  }
  if (const std::string* name = doubled_name(header))
    fail(path, "the header holds " + in_quotes(*name) + " twice");
  return header;
}

std::int64_t natural(const std::string& path, const std::string& what, const Json& value) {
  const auto number = value.as_unsigned();
  if (!number || *number > std::uint64_t{INT64_MAX}) {
    fail(path, what + ": expected a whole number from 0 to 2^63 - 1");
  }
  return static_cast<std::int64_t>(*number);
}

std::vector<std::int64_t> naturals(const std::string& path, const std::string& what,
                                   const Json& value) {
  if (!value.is_list()) fail(path, what + ": expected a list of whole numbers");
  std::vector<std::int64_t> out;
  for (const auto& [none, item] : value.members()) out.push_back(natural(path, what, item));
  return out;
}

TensorMetadata read_metadata(const std::string& path, const Json& value) {
  if (!value.is_object()) fail(path, "__metadata__: expected an object of strings");
  TensorMetadata out;
  for (const auto& [name, text] : value.members()) {
    if (!text.is_text()) fail(path, "__metadata__: " + in_quotes(name) + " is not a string");
    out[name] = text.text();
  }
  return out;
}

TensorEntry read_entry(const std::string& path, const std::string& name, const Json& value,
                       std::size_t data_size) {
  const std::string what = "tensor " + in_quotes(name);
  const Json* dtype = value.find("dtype");
  const Json* shape = value.find("shape");
  const Json* extent = value.find("data_offsets");
  if (dtype == nullptr || shape == nullptr || extent == nullptr || value.members().size() != 3)
    fail(path, what + ": expected exactly dtype, shape and data_offsets");
  if (!dtype->is_text()) fail(path, what + ": dtype: expected a string");
  TensorEntry entry{name, dtype->text(), naturals(path, what + ": shape", *shape)};
  if (dtype_size(entry.dtype) == 0) {
    fail(path, what + ": unknown dtype " + in_quotes(entry.dtype));
  }
  const auto offsets = naturals(path, what + ": data_offsets", *extent);
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    fail(path, what + ": data_offsets: expected a begin and an end that is not before it");
  }
  entry.begin = static_cast<std::size_t>(offsets[0]);
  entry.end = static_cast<std::size_t>(offsets[1]);
  if (entry.end > data_size) {
    fail(path, what + " ends at byte " + std::to_string(entry.end) + " of " +
                   std::to_string(data_size) + " bytes of data");
  }
  std::size_t bytes = 0;
  if (!tensor_bytes(entry.dtype, entry.shape, bytes) || bytes != entry.end - entry.begin) {
    fail(path, what + ": its shape and type do not take the " +
                   std::to_string(entry.end - entry.begin) + " bytes that it claims");
  }
  return entry;
}

/// Tensors must cover the data part exactly, each byte once.
void check_cover(const std::string& path, std::vector<TensorEntry>& tensors,
                 std::size_t data_size) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::size_t at = 0;
  for (const TensorEntry& entry : tensors) {
    if (entry.begin != at) {
      fail(path, std::string(entry.begin > at ? "there is a gap before tensor "
                                              : "another tensor overlaps tensor ") +
                     in_quotes(entry.name) + ", which begins at byte " +
                     std::to_string(entry.begin) + " of the data, expected " + std::to_string(at));
    }
    at = entry.end;
  }
  if (at != data_size) {
    fail(path, "the file continues after its last tensor, expected " + std::to_string(at) +
                   " bytes of data, not " + std::to_string(data_size));
  }
}

// --- writing ---

std::string header_text(std::span<const TensorBytes> tensors, const TensorMetadata& metadata) {
  base::JsonWriter json(base::JsonStyle::compact);
  json.begin_object();
  if (!metadata.empty()) {
    json.key(kMetadata).begin_object();
    for (const auto& [name, text] : metadata) json.field(name, text);
    json.end_object();
  }
  std::set<std::string_view> names{kMetadata};
  std::size_t at = 0;
  for (const TensorBytes& tensor : tensors) {
    const std::string what = "safetensors: tensor " + in_quotes(tensor.name);
    std::size_t bytes = 0;
    if (dtype_size(tensor.dtype) == 0)
      throw base::Error(base::Errc::internal, what + ": unknown dtype " + tensor.dtype);
    if (!tensor_bytes(tensor.dtype, tensor.shape, bytes) || bytes != tensor.bytes.size()) {
      throw base::Error(base::Errc::internal, what + ": shape and bytes differ");
    }
    if (!names.insert(tensor.name).second)
      throw base::Error(base::Errc::internal, what + ": the name is taken");
    json.key(tensor.name).begin_object().field("dtype", tensor.dtype);
    json.key("shape").list(tensor.shape);
    json.key("data_offsets").list(std::array{at, at + bytes}).end_object();
    at += bytes;
  }
  json.end_object();
  std::string text = std::move(json).text();
  text.append(kAlignment - 1 - (8 + text.size() + kAlignment - 1) % kAlignment, ' ');
  return text;
}

}  // namespace

std::size_t dtype_size(std::string_view dtype) {
  struct Row {
    std::string_view name;
    std::size_t size;
  };
  constexpr std::array kTypes{Row{"F32", 4}, Row{"F64", 8}, Row{"F16", 2},  Row{"BF16", 2},
                              Row{"U8", 1},  Row{"I8", 1},  Row{"BOOL", 1}, Row{"U16", 2},
                              Row{"I16", 2}, Row{"U32", 4}, Row{"I32", 4},  Row{"U64", 8},
                              Row{"I64", 8}};
  for (const Row& row : kTypes) {
    if (row.name == dtype) return row.size;
  }
  return 0;
}

const TensorEntry* Safetensors::find(std::string_view name) const {
  const auto at = std::find_if(tensors.begin(), tensors.end(),
                               [&](const TensorEntry& entry) { return entry.name == name; });
  return at == tensors.end() ? nullptr : &*at;
}

std::span<const std::byte> Safetensors::bytes(const TensorEntry& entry) const {
  return std::span(data).subspan(entry.begin, entry.end - entry.begin);
}

std::vector<std::byte> safetensors_bytes(std::span<const TensorBytes> tensors,
                                         const TensorMetadata& metadata) {
  const std::string text = header_text(tensors, metadata);
  std::vector<std::byte> out(8 + text.size());
  for (int i = 0; i < 8; ++i)
    out[i] = static_cast<std::byte>(std::uint64_t{text.size()} >> (8 * i));
  std::memcpy(out.data() + 8, text.data(), text.size());
  for (const TensorBytes& tensor : tensors) {
    out.insert(out.end(), tensor.bytes.begin(), tensor.bytes.end());
  }
  return out;
}

namespace {

/// What a file that is none of ours looks like, for people; empty: nobody knows.
std::string_view looks_like(std::string_view start) {
  if (start.starts_with("PK\x03\x04")) return "a zip archive (a PyTorch checkpoint?)";
  if (start.starts_with('\x80') && start[1] >= 2 && start[1] <= 5)  // the protocol
    return "a Python pickle (an old PyTorch checkpoint?)";
  if (start.starts_with("\x89HDF")) return "an HDF5 file (of Keras?)";
  const bool text = std::ranges::all_of(
      start, [](char c) { return c == '\t' || c == '\r' || c == '\n' || (c >= ' ' && c <= '~'); });
  return text ? "a text file" : "";
}

}  // namespace

Safetensors parse_safetensors(std::span<const std::byte> file, const std::string& path) {
  if (file.size() < 8) fail(path, "this is not a safetensors file: it has fewer than 8 bytes");
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | std::to_integer<std::uint64_t>(file[i]);
  if (length > kMaxTensorHeader) {
    const std::string_view kind = looks_like({reinterpret_cast<const char*>(file.data()), 8});
    if (!kind.empty())
      fail(path, "this is not a safetensors file; it looks like " + std::string(kind));
    fail(path, "this is not a safetensors file: it claims a header of " + std::to_string(length) +
                   " bytes, expected at most " + std::to_string(kMaxTensorHeader));
  }
  if (length > file.size() - 8) {
    fail(path, "the file claims a header of " + std::to_string(length) +
                   " bytes, more than the file has");
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + 8, length);
  if (!text.starts_with('{')) fail(path, "the header does not begin with {");
  const auto data = file.subspan(8 + length);
  const Json header = parse_header(path, text);
  Safetensors out;
  for (const auto& [name, value] : header.members()) {
    if (name == kMetadata) {
      out.metadata = read_metadata(path, value);
    } else {
      out.tensors.push_back(read_entry(path, name, value, data.size()));
    }
  }
  check_cover(path, out.tensors, data.size());
  out.data.assign(data.begin(), data.end());
  return out;
}

Safetensors read_safetensors(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{64} << 30;
  return parse_safetensors(SourceFile(path, kLargest).raw(), path);
}

void write_safetensors(const std::string& path, std::span<const TensorBytes> tensors,
                       const TensorMetadata& metadata) {
  base::write_file_atomic(path, safetensors_bytes(tensors, metadata));
}

}  // namespace nn
