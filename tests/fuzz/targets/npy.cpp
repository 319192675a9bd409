// NumPy arrays x and y; the length of x stands before it in two bytes.

#include "base/error.h"
#include "nn/data/load_files.h"
#include "tests/fuzz/fuzz.h"

namespace {

nn::SourceFile file(const char* name, std::string_view content) {
  const auto bytes = std::as_bytes(std::span(content));
  return {name, std::vector(bytes.begin(), bytes.end())};
}

}  // namespace

void fuzz::feed(std::string_view input) {
  if (input.size() < 2) return;
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(input[i]));
  };
  const std::size_t length = byte(0) << 8 | byte(1);
  input.remove_prefix(2);
  nn::LoadLimits limits;
  limits.inflated_bytes = std::size_t{1} << 20;
  limits.dataset_bytes = std::size_t{32} << 20;
  nn::DataSpec spec;
  spec.kind = nn::DataKind::npy;
  spec.path = "x.npy";
  const std::string_view x = input.substr(0, length);
  try {
    const std::array files{file("x.npy", x), file("y.npy", input.substr(x.size()))};
    const nn::Dataset data = nn::load_npy(files, spec, limits);
    promise(data.header().rows > 0 && data.header().cols > 0,
            "a data set that was read has rows and inputs");
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::data, "bad files are an error of data");
    promise_message(error.what());
  }
}
