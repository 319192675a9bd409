#pragma once
// Files that the tests of nn/data write and read back.

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "nn/data/load.h"
#include "tests/support/temp_folder.h"

namespace nn_test {

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

/// One gzip member.
inline std::string gzip(std::string_view bytes) {
  z_stream z = {};
  if (deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out(deflateBound(&z, bytes.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate");
  return out;
}

/// An IDX file of unsigned bytes.
inline std::string idx(std::initializer_list<std::uint32_t> dims, std::string_view values,
                       int type = 8) {
  std::string out{'\0', '\0', static_cast<char>(type), static_cast<char>(dims.size())};
  for (const std::uint32_t d : dims) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(d >> shift & 255);
  }
  return out + std::string(values);
}

/// A folder with one CSV file and a spec for it; no test or validation rows unless asked for.
class CsvFile {
 public:
  explicit CsvFile(std::string_view text, const std::string& name = "data.csv") {
    spec.path = folder / name;
    spec.split = {.valid = 0, .test = 0, .seed = 0};
    spec.scale = nn::Scale::none;
    write_file(spec.path, text);
  }
  [[nodiscard]] nn::Dataset load() const { return nn::load_dataset(spec); }

  support::TempFolder folder;
  nn::DataSpec spec;
};

/// Whether the loader said exactly that, once.
inline bool says(const nn::Dataset& data, const std::string& note) {
  return std::ranges::count(data.header().notes, note) == 1;
}

/// X as stored, whichever way, as floats in rows.
inline std::vector<std::vector<float>> values(const nn::Dataset& data) {
  std::vector<std::vector<float>> out(data.rows());
  for (std::size_t r = 0; r < data.rows(); ++r) {
    for (std::size_t c = 0; c < data.cols(); ++c) {
      const std::size_t at = r * data.cols() + c;
      out[r].push_back(data.x_u8().empty() ? data.x_f32()[at] : data.x_u8()[at]);
    }
  }
  return out;
}

template <class T>
std::vector<std::remove_const_t<T>> list(std::span<T> view) {
  return {view.begin(), view.end()};
}

/// The message of the base::Error of that kind that `call` throws, or "no error". The path of the
/// folder is cut out of it, or where it stands alone becomes FOLDER.
template <class Call>
std::string error_of(const std::filesystem::path& folder, Call&& call,
                     base::Errc kind = base::Errc::data) {
  try {
    call();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    std::string text = error.what();
    const std::string prefix = folder.string() + "/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
      text.erase(at, prefix.size());
    }
    if (text.starts_with(folder.string())) text.replace(0, folder.string().size(), "FOLDER");
    return text;
  }
  return "no error";
}

}  // namespace nn_test
