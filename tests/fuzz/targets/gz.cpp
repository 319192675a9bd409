// Compressed data, read whole and in pieces: both give the same bytes or the same refusal.

#include <vector>

#include "nn/data/data_error.h"
#include "nn/data/source_file.h"
#include "tests/fuzz/fuzz.h"

namespace {

constexpr std::size_t kMost = std::size_t{1} << 20;

/// The content, or what was said about it.
std::string outcome(const nn::SourceFile& file, std::size_t piece) {
  std::string content;
  try {
    nn::ContentReader reader(file, kMost);
    std::vector<std::byte> buffer(piece);
    for (std::size_t got = piece; got == piece;) {
      got = reader.read(buffer);
      content.append(reinterpret_cast<const char*>(buffer.data()), got);
      fuzz::promise(content.size() <= kMost, "no more is produced than was allowed");
    }
  } catch (const nn::DataError& error) {
    fuzz::promise_message(error.what());
    return error.what();
  }
  return content;
}

}  // namespace

void fuzz::feed(std::string_view input) {
  const auto bytes = std::as_bytes(std::span(input));
  const nn::SourceFile file("data.gz", std::vector(bytes.begin(), bytes.end()));
  promise(outcome(file, 61) == outcome(file, 65536), "pieces add up to the whole");
}
