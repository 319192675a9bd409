// NumPy arrays and tensors as data.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "nn/model/safetensors.h"
#include "tests/nn/data/files.h"

namespace {

using nn_test::error_of;
using nn_test::list;
using nn_test::values;
using nn_test::write_file;
using Rows = std::vector<std::vector<float>>;
using Labels = std::vector<std::int32_t>;

template <class T>
std::string bytes(const std::vector<T>& numbers) {
  std::string out(numbers.size() * sizeof(T), '\0');
  std::memcpy(out.data(), numbers.data(), out.size());
  return out;
}

std::string with_header(const std::string& header, const std::string& content) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 255);
  out += static_cast<char>(header.size() >> 8);
  return out + header + content;
}

std::string npy(const std::string& type, const std::string& shape, const std::string& content) {
  return with_header(
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }\n", content);
}

class NpyFiles {
 public:
  NpyFiles(const std::string& x, const std::string& y) {
    spec.kind = nn::DataKind::npy;
    spec.path = folder / "x.npy";
    spec.more = folder / "y.npy";
    spec.split = {.valid = 0, .test = 0};
    spec.scale = nn::Scale::none;
    write_file(spec.path, x);
    write_file(spec.more, y);
  }
  [[nodiscard]] nn::Dataset load() const { return nn::load_dataset(spec); }
  [[nodiscard]] std::string error() const {
    return error_of(folder.path(), [&] { (void)load(); });
  }

  support::TempFolder folder;
  nn::DataSpec spec;
};

const std::string kX = npy("<f4", "4, 2", bytes<float>({1, 2, 3, 4, 5, 6, 7, 8}));
const std::string kY = npy("<i8", "4,", bytes<std::int64_t>({3, 5, 3, 5}));

TEST(Npy, SaysWhereTheMeanStandsIn) {
  const float none = std::nanf("");
  const nn::Dataset data =
      NpyFiles(npy("<f4", "4, 2", bytes<float>({1, none, 3, 4, 5, none, 7, 8})), kY).load();
  EXPECT_TRUE(nn_test::says(
      data, "missing values, replaced by the mean over the training part: 2 in 1 column"));
}

TEST(Npy, ReadsNumbersAndClasses) {
  const nn::Dataset data = NpyFiles(kX, kY).load();
  EXPECT_EQ(values(data), (Rows{{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
  EXPECT_EQ(data.header().class_names, (std::vector<std::string>{"3", "5"}));
  EXPECT_EQ(list(data.labels()), (Labels{0, 1, 0, 1}));
  EXPECT_EQ(data.header().columns.at(1).name, "c2");
}

TEST(Npy, NumbersLargeBesideTheirSpreadAreKeptLessTheLeast) {
  const double large = 1.7e9;
  NpyFiles files(
      npy("<f8", "4, 2", bytes<double>({large + 3, 1, large, 2, large + 1, 3, large + 9, 4})), kY);
  files.spec.scale = nn::Scale::minmax;
  const nn::Dataset data = files.load();
  EXPECT_EQ(values(data), (Rows{{3, 1}, {0, 2}, {1, 3}, {9, 4}}));
  EXPECT_EQ(data.header().columns.at(0).offset, large);
  EXPECT_EQ(data.header().notes.back(),
            "subtracted from the numbers of 1 column, which are large compared with their spread: "
            "the smallest of them");
}

TEST(Npy, SaysWhatItTakesForImages) {
  const auto note = [](const std::string& shape, std::size_t numbers) {
    const NpyFiles files(npy("<f4", shape, bytes(std::vector<float>(numbers, 1))), kY);
    return files.load().header().notes.back();
  };
  EXPECT_EQ(note("4, 2, 3", 24), "images of 2 x 3 pixels");
  EXPECT_EQ(note("4, 2, 3, 1", 24), "images of 2 x 3 pixels, 1 channel");
  EXPECT_EQ(
      note("4, 3, 2, 8", 192),
      "images of 3 x 2 pixels, 8 channels: are the channels first? Expected are rows, height, "
      "width, channels");
}

TEST(Npy, ReadsEveryTypeOfNumber) {
  const std::string x[] = {
      npy("|u1", "2, 2", bytes<std::uint8_t>({1, 2, 3, 4})),
      npy("|b1", "2, 2", bytes<std::uint8_t>({1, 2, 3, 4})),
      npy("|i1", "2, 2", bytes<std::int8_t>({1, 2, 3, 4})),
      npy("<u2", "2, 2", bytes<std::uint16_t>({1, 2, 3, 4})),
      npy("<i2", "2, 2", bytes<std::int16_t>({1, 2, 3, 4})),
      npy("<u4", "2, 2", bytes<std::uint32_t>({1, 2, 3, 4})),
      npy("<i4", "2, 2", bytes<std::int32_t>({1, 2, 3, 4})),
      npy("<u8", "2, 2", bytes<std::uint64_t>({1, 2, 3, 4})),
      npy("<i8", "2, 2", bytes<std::int64_t>({1, 2, 3, 4})),
      npy("<f2", "2, 2", bytes<std::uint16_t>({0x3c00, 0x4000, 0x4200, 0x4400})),
      npy("<f4", "2, 2", bytes<float>({1, 2, 3, 4})),
      npy("<f8", "2, 2", bytes<double>({1, 2, 3, 4})),
  };
  for (const std::string& file : x) {
    NpyFiles files(nn_test::gzip(file), npy("<f8", "2, 1", bytes<double>({0.5, 1.25})));
    EXPECT_EQ(values(files.load()), (Rows{{1, 2}, {3, 4}})) << file.substr(10, 20);
    EXPECT_EQ(files.load().header().task, nn::LearningTask::regression);
  }
}

TEST(Npy, BytesOfImagesStayBytes) {
  NpyFiles files(
      npy("|u1", "2, 2, 3", bytes<std::uint8_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})),
      npy("|u1", "2,", bytes<std::uint8_t>({0, 1})));
  files.spec.task = nn::LearningTask::classification;
  const nn::Dataset data = files.load();
  EXPECT_EQ(data.header().input, nn::Shape::image(2, 3, 1));
  EXPECT_EQ(data.header().storage, nn::Storage::u8);
  EXPECT_EQ(values(data).at(1).at(0), 7);
}

TEST(Npy, MissingFeaturesBecomeTheMean) {
  const nn::Dataset data = NpyFiles(npy("<f4", "4, 1", bytes<float>({1, NAN, 3, 8})), kY).load();
  EXPECT_EQ(values(data), (Rows{{1}, {4}, {3}, {8}}));
}

TEST(Npy, TakesRowsAndClasses) {
  NpyFiles files(kX, npy("<i8", "4,", bytes<std::int64_t>({1, 2, 3, 1})));
  files.spec.classes = {"1", "2"};
  EXPECT_EQ(values(files.load()), (Rows{{1, 2}, {3, 4}, {7, 8}}));
  files.spec.rows = 3;
  EXPECT_EQ(values(files.load()), (Rows{{1, 2}, {3, 4}}));
}

TEST(Npy, RefusesInOneLine) {
  const auto with_x = [](const std::string& x) { return NpyFiles(x, kY).error(); };
  const auto with_y = [](const std::string& y) { return NpyFiles(kX, y).error(); };
  EXPECT_EQ(with_x("PK\x03\x04 a zip of arrays"),
            "x.npy: this is not a NumPy array: it does not begin with \"\\x93NUMPY\"");
  EXPECT_EQ(with_x(kX.substr(0, 30)),
            "x.npy: this is not a NumPy array: the file ends before its header does");
  EXPECT_EQ(with_x(kX.substr(0, kX.size() - 1)),
            "x.npy: the file has less than its header says: expected 32 bytes of numbers");
  EXPECT_EQ(with_x(kX + "x"),
            "x.npy: the file has more than its header says: expected 32 bytes of numbers");
  EXPECT_EQ(with_x(npy(">f4", "4, 2", "")),
            "x.npy: the file has '>f4', big-endian numbers, expected little-endian ones");
  EXPECT_EQ(with_x(npy("|O", "4, 2", "")),
            "x.npy: the file has '|O', expected numbers such as '<f4', '<i8' or '|u1'");
  EXPECT_EQ(with_x(with_header("{'descr': [('a', '<f4')], 'shape': (4,)}", "")),
            "x.npy: the file has records, expected an array of plain numbers");
  EXPECT_EQ(with_x(with_header("{'descr': '<f4', 'fortran_order': True, 'shape': (4, 2), }", "")),
            "x.npy: lies columns first, expected rows first: numpy.ascontiguousarray does that");
  EXPECT_EQ(with_x(npy("<f8", "4294967296, 4294967296, 4", "")),
            "x.npy: the file claims a shape that cannot be addressed");
  EXPECT_EQ(with_x(npy("<f4", "1000000000, 1000", "")),
            "x.npy: the file has less than its header says: expected 3814697 MiB of numbers");
  EXPECT_EQ(with_x(npy("<f4", "8,", bytes<float>({1, 2, 3, 4, 5, 6, 7, 8}))),
            "y.npy: the file has 4 values, expected 8 as x has rows");
  EXPECT_EQ(with_y(npy("<i8", "2, 2", bytes<std::int64_t>({3, 5, 3, 5}))),
            "y.npy: the file has 2 rows, expected 4 as x has rows");
  EXPECT_EQ(with_y(npy("<i8", "4, 1, 1", bytes<std::int64_t>({3, 5, 3, 5}))),
            "y.npy: the file has 3 dimensions, expected 1, or 2 (rows, targets)");
  EXPECT_EQ(with_y(npy("<f4", "4,", bytes<float>({1, 2, NAN, 4}))),
            "y.npy: row 2 of y is not a number, expected one in every row (rows count from 0)");
  EXPECT_EQ(with_x(npy("<f8", "4, 1", bytes<double>({1, 2, 1e300, 4}))).substr(0, 12),
            "x.npy: row 2");
}

TEST(Npy, TakesSeveralTargets) {
  NpyFiles files(kX, npy("<f4", "4, 2", bytes<float>({1, 10, 2, 30, 3, 20, 4, 60})));
  const nn::Dataset data = files.load();
  EXPECT_EQ(data.header().task, nn::LearningTask::regression);
  ASSERT_EQ(data.outputs(), 2U);
  EXPECT_EQ(data.header().targets[0].name, "y1");
  EXPECT_EQ(data.header().targets[1].name, "y2");
  EXPECT_EQ(data.header().targets[1].shift, 30);
  files.spec.task = nn::LearningTask::classification;
  EXPECT_EQ(files.error(),
            "y.npy: task: classification has one column of classes, but there are 2 targets");
}

class TensorFile {
 public:
  TensorFile(std::vector<nn::TensorBytes> tensors) {
    spec.kind = nn::DataKind::safetensors;
    spec.path = folder / "data.safetensors";
    spec.split = {.valid = 0, .test = 0};
    spec.scale = nn::Scale::none;
    nn::write_safetensors(spec.path, tensors, {});
  }
  support::TempFolder folder;
  nn::DataSpec spec;
};

TEST(TensorsAsData, HaveATestPartOfTheirOwn) {
  const std::vector<float> x{1, 2, 3, 4}, more{5, 6};
  const std::vector<std::int64_t> y{0, 1, 0, 1}, labels{1, 0};
  const auto tensor = [](const std::string& name, const std::string& type, const auto& numbers,
                         std::vector<std::int64_t> shape) {
    return nn::TensorBytes{name, type, std::move(shape), std::as_bytes(std::span(numbers))};
  };
  const TensorFile file({tensor("x", "F32", x, {4, 1}), tensor("y", "I64", y, {4}),
                         tensor("x_test", "F32", more, {2, 1}),
                         tensor("y_test", "I64", labels, {2})});
  const nn::Dataset data = nn::load_dataset(file.spec);
  EXPECT_EQ(values(data), (Rows{{1}, {2}, {3}, {4}, {5}, {6}}));
  EXPECT_EQ(list(data.part(nn::Part::test)), (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(list(data.labels()), (Labels{0, 1, 0, 1, 1, 0}));
  const TensorFile lacking({tensor("x", "F32", x, {4, 1})});
  EXPECT_EQ(error_of(lacking.folder.path(), [&] { (void)nn::load_dataset(lacking.spec); }),
            "data.safetensors: the file has no tensor 'y', expected x and y, and perhaps x_test "
            "and y_test");
}

}  // namespace
