// A safetensors file: read, written again, read again.

#include "nn/model/safetensors.h"
#include "base/error.h"
#include "tests/fuzz/fuzz.h"

namespace {

std::vector<std::byte> written(const nn::Safetensors& file) {
  std::vector<nn::TensorBytes> tensors;
  for (const nn::TensorEntry& entry : file.tensors) {
    tensors.push_back({entry.name, entry.dtype, entry.shape, file.bytes(entry)});
  }
  return nn::safetensors_bytes(tensors, file.metadata);
}

}  // namespace

void fuzz::feed(std::string_view input) {
  try {
    const auto bytes =
        written(nn::parse_safetensors(std::as_bytes(std::span(input)), "net.safetensors"));
    promise(written(nn::parse_safetensors(bytes, "again")) == bytes, "what was written reads back");
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::data, "a bad file is an error of data");
    promise_message(error.what());
  }
}
