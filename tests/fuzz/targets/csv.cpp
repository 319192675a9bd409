// A CSV file. The first byte of an input chooses what a study file would say about it.

#include <array>

#include "base/error.h"
#include "nn/data/load_files.h"
#include "tests/fuzz/fuzz.h"

namespace {

nn::DataSpec spec_of(unsigned bits) {
  nn::DataSpec spec;
  spec.path = "data.csv";
  spec.header = static_cast<nn::HeaderRow>(bits % 3);
  spec.task = static_cast<nn::LearningTask>(bits / 3 % 3);
  spec.scale = static_cast<nn::Scale>(bits / 9 % 4);
  if (bits & 64) spec.targets = {"y"};
  if ((bits & 192) == 192) spec.targets = {"y", "1"};
  if (bits & 128) spec.rows = 5;
  if ((bits & 60) == 60) spec.skip = {.lines = 1, .comment = "#", .after_header = 1, .footer = 1};
  return spec;
}

}  // namespace

void fuzz::feed(std::string_view input) {
  if (input.empty()) return;
  const auto bytes = std::as_bytes(std::span(input.substr(1)));
  nn::LoadLimits limits;
  limits.inflated_bytes = std::size_t{1} << 20;
  limits.dataset_bytes = std::size_t{32} << 20;
  try {
    const std::array files{nn::SourceFile("data.csv", std::vector(bytes.begin(), bytes.end()))};
    const nn::Dataset data =
        nn::load_csv(files, spec_of(static_cast<unsigned char>(input[0])), limits);
    promise(data.header().rows > 0 && data.header().cols > 0,
            "a data set that was read has rows and inputs");
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::data, "a bad table is an error of data");
    promise_message(error.what());
  }
}
