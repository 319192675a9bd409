#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/ascii.h"
#include "nn/data/load.h"

namespace nn {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSystemFolder = "/usr/share/datasets";

/// Data sets that people ask for by name, and where they come from.
struct KnownSet {
  std::string_view word;
  std::string_view source;
};
constexpr std::array kKnownSets{
    KnownSet{
        "fashion-mnist",
        "Debian's package dataset-fashion-mnist puts it into /usr/share/datasets/fashion-mnist"},
    KnownSet{"mnist",
             "MNIST's four files (train-images-idx3-ubyte.gz, train-labels-idx1-ubyte.gz, "
             "t10k-images-idx3-ubyte.gz, t10k-labels-idx1-ubyte.gz) can be had wherever MNIST is "
             "mirrored; put them into that folder"},
};

bool present(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// As words are compared: small letters, and "_" as "-".
std::string folded_path(std::string_view path) {
  std::string out = base::lowered(path);
  std::ranges::replace(out, '_', '-');
  return out;
}

std::string advice(std::string_view path) {
  const std::string word = folded_path(path);
  for (const KnownSet& set : kKnownSets) {
    if (word.find(set.word) != std::string::npos) return "; " + std::string(set.source);
  }
  return "; set TRELLIS_DATA to the folder that holds your data sets, or write the full path";
}

std::string full(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

}  // namespace

std::string locate_data(std::string_view path, std::string_view folder) {
  if (path.empty()) throw DataError("data", "the path of the data is empty");
  const fs::path written(path);
  const fs::path beside = folder.empty() ? written : fs::path(folder) / written;
  if (written.is_absolute()) {
    if (present(written)) return full(written);
    throw DataError(written, "no such file or folder" + advice(path));
  }
  if (present(beside)) return full(beside);
  std::string looked = full(beside);
  const char* variable = std::getenv("TRELLIS_DATA");
  if (variable != nullptr && *variable != '\0') {
    const fs::path candidate = fs::path(variable) / written;
    if (present(candidate)) return full(candidate);
    looked += ", " + full(candidate) + " (TRELLIS_DATA)";
  }
  const fs::path candidate = fs::path(kSystemFolder) / written;
  if (present(candidate)) return full(candidate);
  throw DataError(std::string(path), "no such file or folder: looked for " + looked + " and " +
                                         candidate.string() + advice(path));
}

}  // namespace nn
