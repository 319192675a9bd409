#include "bench/pictures.h"

#include "base/file.h"
#include "base/random.h"

namespace bench {

namespace {

std::string idx_header(unsigned char dims, std::initializer_list<int> sizes) {
  std::string text{'\0', '\0', '\x08', static_cast<char>(dims)};
  for (int size : sizes) {
    for (int shift : {24, 16, 8, 0}) text += static_cast<char>(size >> shift & 0xff);
  }
  return text;
}

}  // namespace

Pictures::Pictures(int rows) {
  write("train", rows);
  write("t10k", 100);
}

nn::DataSpec Pictures::spec() const {
  nn::DataSpec spec;
  spec.kind = nn::DataKind::idx;
  spec.path = folder_.path().string();
  spec.scale = nn::Scale::unit;
  spec.split.valid = 0;
  return spec;
}

void Pictures::write(const std::string& part, int rows) const {
  base::Stream random(1, part);
  std::string images = idx_header(3, {rows, kSide, kSide}), labels = idx_header(1, {rows});
  for (int i = 0; i < rows * kSide * kSide; ++i) images += static_cast<char>(random.below(256));
  for (int i = 0; i < rows; ++i) labels += static_cast<char>(random.below(kClasses));
  base::write_file_atomic(folder_.path() / (part + "-images-idx3-ubyte"), images);
  base::write_file_atomic(folder_.path() / (part + "-labels-idx1-ubyte"), labels);
}

}  // namespace bench
