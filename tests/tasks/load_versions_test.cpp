// What is read of small tables of all kinds belongs to the versions of the tasks that read them.

#include "tasks/load_versions.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "base/file.h"
#include "base/hash.h"
#include "nn/data/preprocessing.h"
#include "nn/model/safetensors.h"
#include "tests/nn/data/files.h"

namespace {

using nn_test::write_file;

struct Kept {
  int version = 0;
  std::string loaded;
};

/// Lines such as "csv 5 0123...": a task, its version, a hash of what it loads here.
std::map<std::string, Kept> read_kept() {
  std::ifstream in(LOADED_FILE);
  std::map<std::string, Kept> kept;
  std::string name;
  for (Kept one; in >> name >> one.version >> one.loaded;) kept[name] = one;
  return kept;
}

void write_kept(const std::map<std::string, Kept>& kept) {
  std::ofstream out(LOADED_FILE);
  for (const auto& [name, one] : kept)
    out << name << ' ' << one.version << ' ' << one.loaded << '\n';
}

/// The numbers and how a table to predict is prepared like them, of each of these.
std::string hash_of(const std::vector<nn::DataSpec>& specs) {
  std::vector<std::byte> all;
  for (const nn::DataSpec& spec : specs) {
    const nn::Dataset data = nn::load_dataset(spec);
    const std::string text = nn::preprocessing_json(data);
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    all.insert(all.end(), begin, begin + text.size());
    all.insert(all.end(), data.bytes().begin(), data.bytes().end());
  }
  return base::hash_bytes(all).hex();
}

class LoadVersions : public testing::Test {
 protected:
  nn::DataSpec file(const std::string& name, std::string_view text) {
    write_file(folder / name, text);
    nn::DataSpec spec{.path = folder / name};
    spec.split = {.valid = 0.25, .test = 0.25, .seed = 1};
    return spec;
  }

  /// Tables with all that is guessed and all that a column may hold.
  std::vector<nn::DataSpec> tables() {
    std::string people = "id,born,seen,price,share,shade,name,stamp,gap,zip,y\n";
    std::string german = "a;b;y\n", r = "\"u\" \"v\" \"kind\"\n", numbered = ",0,1\n", rows;
    for (int i = 0; i < 64; ++i) {
      const std::string n = std::to_string(i), day = std::to_string(i % 28 + 1);
      people += n + "," + day + " Mar 2021,2021-03-" + (i % 28 < 9 ? "0" : "") + day +
                "T06:30:00+02,\"$" + std::to_string(1 + i % 9) + ",234.50\"," +
                std::to_string(i % 7) + "%," +
                (i % 3 == 0   ? "red"
                 : i % 3 == 1 ? "blue"
                              : "None") +
                ",text " + std::to_string(i % 60) + "," + std::to_string(1700000000 + 60 * i) +
                "," + (i % 5 == 0 ? "" : n) + ",0" + std::to_string(i % 4) + "," +
                (i % 2 == 0 ? "-1" : "3") + ".5\n";
      german += n + ",5;1.234," + std::to_string(i % 10) + ";" + (i % 2 == 0 ? "0,5\n" : "2,5\n");
      r += "\"r" + n + "\" " + std::to_string(i * i % 17) + " .5 " +
           (i % 2 == 0 ? "p\n" : "\"q q\"\n");
      numbered +=
          n + "," + std::to_string(i * 7 % 64) + ".25," + std::to_string(i * 11 % 64) + ".5\n";
      rows += std::to_string(i % 6) + "\t" + (i % 11 == 3 ? "NA" : n) +
              (i % 2 == 0 ? "\tno\n" : "\tyes\n");
    }
    std::vector<nn::DataSpec> specs{file("people.csv", people), file("german.csv", german),
                                    file("r.txt", r), file("numbered.csv", numbered),
                                    file("rows.tsv", rows)};
    specs[0].categories = {"zip"};
    specs[0].keep = {"name"};
    specs[1].scale = nn::Scale::minmax;
    specs[4].scale = nn::Scale::none;
    return specs;
  }

  std::vector<nn::DataSpec> arrays() {
    const auto npy = [](const std::string& type, const std::string& shape, std::string_view bytes) {
      const std::string header =
          "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }\n";
      std::string out("\x93NUMPY\x01\x00", 8);
      out += static_cast<char>(header.size());
      return out + '\0' + header + std::string(bytes);
    };
    std::vector<nn::DataSpec> specs;
    for (const char* shape : {"16, 4", "16, 2, 2"}) {
      nn::DataSpec spec =
          file("x" + std::to_string(specs.size()) + ".npy", npy("<f8", shape, text_of(values)));
      spec.kind = nn::DataKind::npy;
      spec.more = folder / "y.npy";
      write_file(spec.more, npy("<i4", "16,", text_of(labels)));
      specs.push_back(spec);
    }
    return specs;
  }

  std::vector<nn::DataSpec> tensors() {
    nn::DataSpec spec = file("t.safetensors", "");
    spec.kind = nn::DataKind::safetensors;
    const std::vector<nn::TensorBytes> parts{
        {"x", "F64", {16, 4}, std::as_bytes(std::span(values))},
        {"y", "I32", {16}, std::as_bytes(std::span(labels))}};
    nn::write_safetensors(spec.path, parts, {});
    return {spec};
  }

  std::vector<nn::DataSpec> images() {
    std::string pixels, classes;
    for (int i = 0; i < 32; ++i) classes += static_cast<char>(i % 2);
    for (int i = 0; i < 128; ++i) pixels += static_cast<char>(i);
    for (const char* part : {"train", "t10k"}) {
      write_file(folder / (std::string(part) + "-images-idx3-ubyte"),
                 nn_test::idx({32, 2, 2}, pixels));
      write_file(folder / (std::string(part) + "-labels-idx1-ubyte"), nn_test::idx({32}, classes));
    }
    nn::DataSpec spec{.kind = nn::DataKind::idx, .path = folder.path().string()};
    spec.split.valid = 0.25;
    spec.scale = nn::Scale::unit;
    return {spec};
  }

  template <class T, std::size_t N>
  static std::string text_of(const std::array<T, N>& numbers) {
    std::string out(sizeof numbers, '\0');
    std::memcpy(out.data(), numbers.data(), out.size());
    return out;
  }
  static constexpr auto values = [] {
    std::array<double, 64> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = i % 4 == 0 ? 1.7e9 + static_cast<double>(i) : 0.25 * static_cast<double>(i * 7 % 31);
    return all;
  }();
  static constexpr auto labels = [] {
    std::array<std::int32_t, 16> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i % 3 == 0 ? 7 : 2;
    return all;
  }();

  support::TempFolder folder;
};

TEST_F(LoadVersions, WhatIsReadOtherwiseHasANewOne) {
  std::vector<nn::DataSpec> pairs = tables();
  for (nn::DataSpec& spec : pairs) {
    spec.split.test = 0;
    spec.more = spec.path + ".test";
    const std::string text = base::read_file(spec.path);
    const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
    write_file(spec.more, text.substr(0, last));
  }
  constexpr tasks::LoadVersions kToday = tasks::kLoadVersions;
  const std::map<std::string, Kept> today{
      {"csv", {kToday.csv, hash_of(tables())}},
      {"csv_pair", {kToday.csv_pair, hash_of(pairs)}},
      {"npy", {kToday.npy, hash_of(arrays())}},
      {"safetensors", {kToday.safetensors, hash_of(tensors())}},
      {"idx", {kToday.idx, hash_of(images())}},
  };
  std::map<std::string, Kept> kept = read_kept();
  const bool rewrite = std::getenv("TRELLIS_REWRITE") != nullptr;
  for (const auto& [name, now] : today) {
    const Kept before = kept[name];
    if (rewrite && now.version > before.version) kept[name] = now;
    EXPECT_EQ(kept[name].loaded, now.loaded)
        << name << " data are read otherwise than by version " << before.version
        << ": raise it in tasks/load_versions.h, then run this test with TRELLIS_REWRITE=1";
    EXPECT_EQ(kept[name].version, now.version) << name << ": run this test with TRELLIS_REWRITE=1";
  }
  if (rewrite) write_kept(kept);
}

}  // namespace
