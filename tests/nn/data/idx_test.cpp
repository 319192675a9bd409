// IDX data sets: what comes out of good ones, and every complaint about bad ones.

#include <gtest/gtest.h>

#include <functional>

#include "tests/nn/data/files.h"

namespace {

using nn_test::gzip;
using nn_test::idx;
using nn_test::list;
using nn_test::values;

constexpr char kTrainImages[] = "train-images-idx3-ubyte";
constexpr char kTrainLabels[] = "train-labels-idx1-ubyte";
constexpr char kTestImages[] = "t10k-images-idx3-ubyte";
constexpr char kTestLabels[] = "t10k-labels-idx1-ubyte";

std::string bytes_from(int first, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += static_cast<char>(first + i);
  return out;
}

/// A folder with eight images of 2x3 to train on and two to test.
class IdxFolder {
 public:
  IdxFolder() {
    spec.kind = nn::DataKind::idx;
    spec.path = folder.path().string();
    spec.split = {.valid = 0.25, .test = 0, .seed = 0};
    spec.scale = nn::Scale::unit;
    put(kTrainImages, idx({8, 2, 3}, bytes_from(0, 48)));
    put(kTrainLabels, idx({8}, std::string("\3\1\3\1\3\1\3\1", 8)));
    put(kTestImages, idx({2, 2, 3}, bytes_from(100, 12)));
    put(kTestLabels, idx({2}, std::string("\1\7", 2)));
  }
  void put(const std::string& name, const std::string& bytes) {
    nn_test::write_file(folder / name, bytes);
  }
  void drop(const std::string& name) { std::filesystem::remove(folder / name); }
  [[nodiscard]] nn::Dataset load() const { return nn::load_dataset(spec); }

  support::TempFolder folder;
  nn::DataSpec spec;
};

TEST(Idx, ReadsTheFourFiles) {
  const IdxFolder files;
  const nn::Dataset data = files.load();
  EXPECT_EQ(data.rows(), 10U);
  EXPECT_EQ(data.header().input, nn::Shape::image(2, 3, 1));
  EXPECT_EQ(data.header().storage, nn::Storage::u8);
  EXPECT_EQ(data.header().class_names, (std::vector<std::string>{"1", "3", "7"}));
  EXPECT_EQ(list(data.labels()), (std::vector<std::int32_t>{1, 0, 1, 0, 1, 0, 1, 0, 0, 2}));
  EXPECT_EQ(list(data.part(nn::Part::test)), (std::vector<std::uint32_t>{8, 9}));
  EXPECT_EQ(data.part(nn::Part::valid).size(), 2U);
  EXPECT_EQ(data.part(nn::Part::train).size(), 6U);
  EXPECT_EQ(values(data)[7], (std::vector<float>{42, 43, 44, 45, 46, 47}));
  EXPECT_EQ(values(data)[9], (std::vector<float>{106, 107, 108, 109, 110, 111}));
  EXPECT_EQ(data.scale()[0], 1.0F / 255.0F);
}

TEST(Idx, GzipAndOtherNamesAreTheSame) {
  const IdxFolder plain;
  IdxFolder packed;
  packed.drop(kTrainImages);
  packed.put("train-images.idx3-ubyte.gz", gzip(idx({8, 2, 3}, bytes_from(0, 48))));
  packed.drop(kTestLabels);
  packed.put("t10k-labels-idx1-ubyte.gz", gzip(idx({2}, std::string("\1\7", 2))));
  EXPECT_EQ(list(packed.load().bytes()), list(plain.load().bytes()));
  EXPECT_NE(nn::content_hash(packed.spec), nn::content_hash(plain.spec));
}

TEST(Idx, ColoursAreChannels) {
  IdxFolder files;
  files.put(kTrainImages, idx({8, 2, 1, 3}, bytes_from(0, 48)));
  files.put(kTestImages, idx({2, 2, 1, 3}, bytes_from(100, 12)));
  EXPECT_EQ(files.load().header().input, nn::Shape::image(2, 1, 3));
}

TEST(Idx, TakesTheFirstTrainingRowsAndAllTestRows) {
  IdxFolder files;
  files.spec.rows = 4;
  const nn::Dataset data = files.load();
  EXPECT_EQ(data.rows(), 6U);
  EXPECT_EQ(list(data.part(nn::Part::test)), (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(values(data)[3], (std::vector<float>{18, 19, 20, 21, 22, 23}));
  EXPECT_EQ(values(data)[4], (std::vector<float>{100, 101, 102, 103, 104, 105}));
  EXPECT_EQ(data.header().class_names.size(), 3U);
}

TEST(Idx, LeavesOnlyTheRowsOfTheClassesAskedFor) {
  IdxFolder files;
  files.spec.classes = {"7", "1"};
  const nn::Dataset data = files.load();
  EXPECT_EQ(data.header().class_names, (std::vector<std::string>{"1", "7"}));
  EXPECT_EQ(list(data.labels()), (std::vector<std::int32_t>{0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(list(data.part(nn::Part::test)), (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(data.part(nn::Part::train).size() + data.part(nn::Part::valid).size(), 4U);
  EXPECT_EQ(values(data)[0], (std::vector<float>{6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(values(data)[3], (std::vector<float>{42, 43, 44, 45, 46, 47}));
  EXPECT_EQ(values(data)[5], (std::vector<float>{106, 107, 108, 109, 110, 111}));
}

TEST(Idx, TheContentIsKnownWithoutLoading) {
  const IdxFolder files;
  EXPECT_EQ(nn::content_hash(files.spec), files.load().header().content);
  EXPECT_EQ(nn::content_hash(files.spec).hex().size(), 32U);
}

struct BadIdx {
  const char* name;
  std::function<void(IdxFolder&)> change;
  std::string message;
};

class BadIdxs : public testing::TestWithParam<BadIdx> {};

TEST_P(BadIdxs, AreRefusedInOneLine) {
  IdxFolder files;
  GetParam().change(files);
  EXPECT_EQ(nn_test::error_of(files.folder.path(), [&] { (void)files.load(); }),
            GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Idx, BadIdxs,
    testing::Values(
        BadIdx{"empty", [](auto& f) { f.put(kTrainImages, ""); },
               "train-images-idx3-ubyte: the file ends inside its header"},
        BadIdx{"cut_header",
               [](auto& f) {
                 f.put(kTrainImages, idx({8, 2}, "").substr(0, 10));
               },
               "train-images-idx3-ubyte: the file has 2 dimensions, expected 3 or 4"},
        BadIdx{"cut_dims",
               [](auto& f) {
                 f.put(kTrainImages, idx({8, 2, 3}, "").substr(0, 13));
               },
               "train-images-idx3-ubyte: the file ends inside its header"},
        BadIdx{"not_idx", [](auto& f) { f.put(kTrainImages, "PK\3\4 a zip file"); },
               "train-images-idx3-ubyte: this is not an IDX file: it does not begin with two zero "
               "bytes"},
        BadIdx{"floats",
               [](auto& f) {
                 f.put(kTrainImages, idx({8, 2, 3}, bytes_from(0, 48), 13));
               },
               "train-images-idx3-ubyte: the file has values of IDX type 13, expected 8 (unsigned "
               "bytes)"},
        BadIdx{"labels_swapped",
               [](auto& f) {
                 f.put(kTrainLabels, idx({8, 2, 3}, bytes_from(0, 48)));
               },
               "train-labels-idx1-ubyte: the file has 3 dimensions, expected 1"},
        BadIdx{"one_byte_short",
               [](auto& f) {
                 f.put(kTrainImages, idx({8, 2, 3}, bytes_from(0, 47)));
               },
               "train-images-idx3-ubyte: the file has 63 bytes, expected 64 for 8x2x3 values"},
        BadIdx{"one_byte_long",
               [](auto& f) {
                 f.put(kTrainImages, idx({8, 2, 3}, bytes_from(0, 49)));
               },
               "train-images-idx3-ubyte: the file has 65 bytes, expected 64 for 8x2x3 values"},
        BadIdx{"huge_claim",
               [](auto& f) {
                 f.put(kTrainImages, idx({4000000000U, 28, 28}, bytes_from(0, 48)));
               },
               "train-images-idx3-ubyte: the file claims 4000000000x28x28 values, more than its 64 "
               "bytes can "
               "hold"},
        BadIdx{"overflowing_claim",
               [](auto& f) {
                 f.put(kTrainImages, idx({0x80000000U, 0x80000000U, 4}, bytes_from(0, 48)));
               },
               "train-images-idx3-ubyte: the file claims 2147483648x2147483648x4 values, more than "
               "its 64 "
               "bytes can hold"},
        BadIdx{"zero_dim",
               [](auto& f) {
                 f.put(kTrainImages, idx({8, 0, 3}, ""));
               },
               "train-images-idx3-ubyte: the file has no values: its header claims 8x0x3 values"},
        BadIdx{
            "packed_claim",
            [](auto& f) {
              f.drop(kTrainImages);
              f.put("train-images-idx3-ubyte.gz", gzip(idx({400000000U, 28, 28}, "")));
            },
            "train-images-idx3-ubyte.gz: the file claims 400000000x28x28 values, more than its " +
                std::to_string(gzip(idx({400000000U, 28, 28}, "")).size()) + " bytes can hold"},
        BadIdx{"packed_short",
               [](auto& f) {
                 f.drop(kTrainImages);
                 f.put("train-images-idx3-ubyte.gz", gzip(idx({8, 2, 3}, bytes_from(0, 40))));
               },
               "train-images-idx3-ubyte.gz: the file ends before the last of 8x2x3 values"},
        BadIdx{"packed_long",
               [](auto& f) {
                 f.drop(kTrainImages);
                 f.put("train-images-idx3-ubyte.gz", gzip(idx({8, 2, 3}, bytes_from(0, 50))));
               },
               "train-images-idx3-ubyte.gz: the file continues after the last of 8x2x3 values"},
        BadIdx{"fewer_labels", [](auto& f) { f.put(kTrainLabels, idx({7}, bytes_from(0, 7))); },
               "train-labels-idx1-ubyte: the file has 7 labels, expected 8 as "
               "train-images-idx3-ubyte has "
               "images"},
        BadIdx{"other_shape",
               [](auto& f) {
                 f.put(kTestImages, idx({2, 3, 2}, bytes_from(0, 12)));
               },
               "t10k-images-idx3-ubyte: the file has images of 3x2x1, expected 2x3x1 as those to "
               "train on"},
        BadIdx{"missing_file", [](auto& f) { f.drop(kTestLabels); },
               "FOLDER: the folder has no "
               "t10k-labels-idx1-ubyte (or .gz), expected the four files of an IDX data set"},
        BadIdx{"target", [](auto& f) { f.spec.targets = {"label"}; },
               "FOLDER: target: images have no columns, only `csv` data has"},
        BadIdx{"regression", [](auto& f) { f.spec.task = nn::LearningTask::regression; },
               "FOLDER: task: labels of images are classes, expected classification"}),
    [](const auto& one_test) { return one_test.param.name; });

}  // namespace
