// Hostile files: thousands of damaged copies of good ones. Each is either read or refused with an
// base::Error; anything else (a crash, another exception, a sanitizer's report) fails the test. The
// damage follows from counters, so that a failure can be repeated.

#include <gtest/gtest.h>

#include <array>

#include <functional>

#include "base/error.h"
#include "nn/data/load_files.h"
#include "nn/data/preprocessing.h"
#include "nn/data/table_rows.h"
#include "nn/model/safetensors.h"
#include "nn/training/random.h"
#include "tests/nn/data/files.h"

namespace {

constexpr std::uint32_t kRounds = 2000;

/// One to three changes: a bit flipped, a byte set to something telling, a part cut out or doubled.
std::string damaged(std::string bytes, std::uint32_t round) {
  constexpr std::string_view kTelling{"\0\xff\x7f\x80\"{}[],;:\n\r19-e", 19};
  const auto draw = [&](std::uint32_t i) { return nn::random_block({42}, {round, i, 0, 0}); };
  const std::uint32_t changes = 1 + draw(0)[0] % 3;
  for (std::uint32_t i = 1; i <= changes && !bytes.empty(); ++i) {
    const auto words = draw(i);
    const std::size_t at = words[0] % bytes.size();
    const std::size_t length = 1 + words[1] % std::min<std::size_t>(bytes.size() - at, 16);
    switch (words[2] % 5) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << words[3] % 8);
        break;
      case 1:
        bytes[at] = kTelling[words[3] % kTelling.size()];
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
      default:
        bytes.resize(at);
        break;
    }
  }
  return bytes;
}

/// Counts how many damaged copies were read and how many refused.
struct Outcome {
  int read = 0, refused = 0;
};

Outcome attack(const std::string& good, const std::function<void(const std::string&)>& read) {
  Outcome outcome;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    try {
      read(damaged(good, round));
      ++outcome.read;
    } catch (const base::Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      ++outcome.refused;
    }
  }
  return outcome;
}

nn::SourceFile file_of(const std::string& content) {
  const auto bytes = std::as_bytes(std::span(content));
  return {"data", std::vector(bytes.begin(), bytes.end())};
}

TEST(Fuzz, SafetensorsAreReadOrRefused) {
  const std::vector<float> weights(24, 0.5F);
  const auto bytes = std::as_bytes(std::span(weights));
  const std::vector<nn::TensorBytes> tensors{{"fc1.weight", "F32", {4, 5}, bytes.first(80)},
                                             {"fc1.bias", "F32", {4}, bytes.last(16)}};
  const auto file =
      nn::safetensors_bytes(tensors, {{"format", "trellis"}, {"spec", "{\"a\": [1]}"}});
  const std::string good(reinterpret_cast<const char*>(file.data()), file.size());
  const Outcome outcome = attack(good, [](const std::string& bad) {
    (void)nn::parse_safetensors(std::as_bytes(std::span(bad)), "m");
  });
  EXPECT_GT(outcome.read, 10);
  EXPECT_GT(outcome.refused, 500);
}

TEST(Fuzz, CsvFilesAreReadOrRefused) {
  std::string good = "size,\"colour, first\",n,kind\n";
  for (int i = 0; i < 12; ++i) {
    good += std::to_string(i * 0.75) + (i % 3 == 0 ? ",\"re\"\"d\"," : ",blue,") +
            (i % 5 == 0 ? "NA" : std::to_string(i * 99)) + (i % 2 == 0 ? ",p\r\n" : ",q\r\n");
  }
  nn::DataSpec spec;
  spec.scale = nn::Scale::standard;
  for (const bool packed : {false, true}) {
    const Outcome outcome =
        attack(packed ? nn_test::gzip(good) : good, [&](const std::string& bad) {
          const std::array files{file_of(bad)};
          (void)nn::load_csv(
              files, spec,
              {.inflated_bytes = std::size_t{1} << 20, .dataset_bytes = std::size_t{1} << 22});
        });
    EXPECT_GT(outcome.read, packed ? 1 : 200);
    EXPECT_GT(outcome.refused, 200);
  }
}

TEST(Fuzz, NpyFilesAreReadOrRefused) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (6, 2), }\n";
  std::string good("\x93NUMPY\x01\x00", 8);
  good += static_cast<char>(header.size());
  good += '\0';
  good += header + std::string(48, '\x3f');
  std::string labels = good;
  labels.replace(labels.find("(6, 2)"), 6, "(6,)  ");
  labels.resize(10 + header.size());
  for (const char label : {'\0', '\1', '\0', '\1', '\0', '\1'})
    labels += std::string("\0\0\x80", 3) + char(label + 0x3f);
  const nn::DataSpec spec{.split = {.valid = 0, .test = 0}};
  for (const bool packed : {false, true}) {
    const Outcome outcome =
        attack(packed ? nn_test::gzip(good) : good, [&](const std::string& bad) {
          (void)nn::load_npy(
              {file_of(bad), file_of(labels)}, spec,
              {.inflated_bytes = std::size_t{1} << 20, .dataset_bytes = std::size_t{1} << 22});
        });
    EXPECT_GT(outcome.read, packed ? 1 : 50);
    EXPECT_GT(outcome.refused, 200);
  }
}

TEST(Fuzz, IdxFilesAreReadOrRefused) {
  const nn::DataSpec spec;
  const std::string images = nn_test::idx({6, 2, 3}, std::string(36, 'x'));
  const std::string labels = nn_test::idx({6}, "\1\2\1\2\1\2");
  for (const bool packed : {false, true}) {
    const Outcome outcome =
        attack(packed ? nn_test::gzip(images) : images, [&](const std::string& bad) {
          (void)nn::load_idx({file_of(bad), file_of(labels), file_of(images), file_of(labels)},
                             spec, {.dataset_bytes = std::size_t{1} << 22});
        });
    EXPECT_GT(outcome.read, packed ? 1 : 200);
    EXPECT_GT(outcome.refused, 200);
  }
}

/// What a small table with numbers, texts and gaps leaves in a model's file.
nn::Dataset small_model() {
  const nn::Dataset data =
      nn_test::CsvFile("size,shade,kind\n1.5,dark,a\n2.5,light,b\n,dark,a\n4,light,b\n").load();
  return nn::preprocessing_from_json(nn::preprocessing_json(data));
}

TEST(Fuzz, PreprocessingIsReadOrRefused) {
  const Outcome outcome = attack(nn::preprocessing_json(small_model()), [](const std::string& bad) {
    (void)nn::preprocessing_from_json(bad);
  });
  EXPECT_GT(outcome.read, 50);
  EXPECT_GT(outcome.refused, 500);
}

TEST(Fuzz, TablesToPredictAreReadOrRefused) {
  const nn::Dataset model = small_model();
  const support::TempFolder folder;
  const std::string path = folder / "t.csv";
  std::string good = "kind,shade,\"size\"\r\n";
  for (int i = 0; i < 12; ++i)
    good += (i % 2 == 0 ? "a,dark," : "b,\"lig\"\"ht\",") + std::to_string(i * 0.75) + "\n";
  for (const bool packed : {false, true}) {
    const Outcome outcome =
        attack(packed ? nn_test::gzip(good) : good, [&](const std::string& bad) {
          std::filesystem::remove(path);  // a file that is cut short and written again is slow
          nn_test::write_file(path, bad);
          nn::TableRows rows(path, model, {"shade"});
          while (rows.next(5)) (void)rows.view();
          (void)rows.notes();
        });
    EXPECT_GT(outcome.read, packed ? 1 : 200);
    EXPECT_GT(outcome.refused, 200);
  }
}

}  // namespace
