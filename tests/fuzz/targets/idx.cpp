// The four files of an IDX data set, one after the other; the lengths of the first three stand
// before them in two bytes each.

#include "base/error.h"
#include "nn/data/load_files.h"
#include "tests/fuzz/fuzz.h"

namespace {

nn::SourceFile take(std::string_view& input, const char* name, bool rest) {
  std::size_t length = input.size();
  if (!rest && length >= 2) {
    const auto byte = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(input[i]));
    };
    length = byte(0) << 8 | byte(1);
    input.remove_prefix(2);
  }
  const std::string_view part = input.substr(0, length);
  input.remove_prefix(part.size());
  const auto bytes = std::as_bytes(std::span(part));
  return {name, std::vector(bytes.begin(), bytes.end())};
}

}  // namespace

void fuzz::feed(std::string_view input) {
  nn::LoadLimits limits;
  limits.inflated_bytes = std::size_t{1} << 20;
  limits.dataset_bytes = std::size_t{32} << 20;
  nn::DataSpec spec;
  spec.kind = nn::DataKind::idx;
  spec.path = "folder";
  try {
    auto train = take(input, "train-images", false);
    auto labels = take(input, "train-labels", false);
    auto test = take(input, "t10k-images", false);
    const std::array<nn::SourceFile, 4> files{std::move(train), std::move(labels), std::move(test),
                                              take(input, "t10k-labels", true)};
    (void)nn::load_idx(files, spec, limits);
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::data, "bad files are an error of data");
    promise_message(error.what());
  }
}
