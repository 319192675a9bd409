// The block itself: layout, alignment, views, scaling, and what goes into a model's file.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "nn/data/preprocessing.h"
#include "nn/data/source_file.h"
#include "tests/nn/data/files.h"
#include "tests/support/cost.h"

namespace {

using nn_test::CsvFile;
using nn_test::list;
using nn_test::values;

nn::Dataset::Header small_header() {
  nn::Dataset::Header header;
  header.rows = 5;
  header.cols = 3;
  header.input = nn::Shape::features(3);
  header.class_names = {"p", "q"};
  header.train_rows = 3;
  header.valid_rows = 1;
  header.test_rows = 1;
  return header;
}

TEST(ContentHash, AFileInPiecesHasTheHashOfAllItsBytes) {
  const support::TempFolder folder;
  const std::string path = folder / "bytes";
  std::string bytes;
  for (int i = 0; i < 400'000; ++i) bytes += std::to_string(i);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20,
                                 (std::size_t{1} << 20) + 1, bytes.size()}) {
    nn_test::write_file(path, std::string_view(bytes).substr(0, size));
    EXPECT_EQ(nn::hash_of(path, bytes.size()), nn::hash_of(nn::SourceFile(path, bytes.size())));
  }
  EXPECT_EQ(nn_test::error_of(folder.path(), [&] { (void)nn::hash_of(path, 10); }),
            nn_test::error_of(folder.path(), [&] { nn::SourceFile(path, 10); }));
}

TEST(ContentHash, TakesNoMoreMemoryForALargerFile) {
  const support::TempFolder folder;
  const std::string path = folder / "large";
  constexpr std::size_t kBytes = std::size_t{1} << 29;
  nn_test::write_file(path, "x");
  std::filesystem::resize_file(path, kBytes);  // without blocks on disk
  const long before = support::peak_kilobytes();
  EXPECT_NE(nn::content_hash({.path = path}, nn::LoadLimits()), base::Key());
  EXPECT_LT(support::peak_kilobytes() - before, 20'000);
}

TEST(Dataset, LaysItsArraysOutOnBoundaries) {
  for (const nn::Storage storage : {nn::Storage::u8, nn::Storage::f32}) {
    nn::Dataset::Header header = small_header();
    header.storage = storage;
    nn::Dataset data(header);
    EXPECT_EQ(data.bytes().size(), nn::Dataset::byte_size(header));
    EXPECT_EQ(data.x_u8().size(), storage == nn::Storage::u8 ? 15U : 0U);
    EXPECT_EQ(data.x_f32().size(), storage == nn::Storage::f32 ? 15U : 0U);
    EXPECT_EQ(data.labels().size(), 5U);
    EXPECT_TRUE(data.targets().empty());
    const void* const starts[] = {data.bytes().data(),
                                  data.labels().data(),
                                  data.part(nn::Part::train).data(),
                                  data.part(nn::Part::valid).data(),
                                  data.part(nn::Part::test).data(),
                                  data.shift().data(),
                                  data.scale().data()};
    for (const void* start : starts) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % 64, 0U);
    }
    const auto* end = reinterpret_cast<const std::byte*>(data.scale().data() + 3);
    EXPECT_LE(end, data.bytes().data() + data.bytes().size());
    const std::byte* before = data.bytes().data();
    const nn::Dataset moved = std::move(data);
    EXPECT_EQ(moved.bytes().data(), before);
  }
}

TEST(Dataset, BorrowsMemory) {
  const CsvFile file("a,y\n1.5,p\n2,q\n");
  nn::Dataset owner = file.load();
  const nn::Dataset view(owner.header(), owner.bytes().data());
  EXPECT_EQ(view.x_f32().data(), owner.x_f32().data());
  EXPECT_EQ(values(view), values(owner));
  EXPECT_THROW(nn::Dataset(owner.header(), owner.bytes().data() + 4), std::invalid_argument);
}

TEST(Dataset, RefusesHeadersThatContradictThemselves) {
  const auto refused = [](auto change) {
    nn::Dataset::Header header = small_header();
    change(header);
    EXPECT_THROW((void)nn::Dataset::byte_size(header), std::invalid_argument);
  };
  refused([](auto& h) { h.rows = std::uint64_t{1} << 33; });
  refused([](auto& h) { h.test_rows = 2; });
  refused([](auto& h) { h.valid_rows = ~std::uint64_t{0}; });
  refused([](auto& h) { h.cols = 4; });
  refused([](auto& h) { h.task = nn::LearningTask::guess; });
  refused([](auto& h) {
    h.input = {{2147483647, 2147483647, 2}};
    h.cols = static_cast<std::uint64_t>(h.input.elements());
  });
}

TEST(Dataset, ShowsItsPartsToTraining) {
  CsvFile file("1,p\n2,q\n3,p\n4,q\n5,p\n6,q\n7,p\n8,q\n");
  file.spec.split = {.valid = 0.25, .test = 0.25, .seed = 1};
  const nn::Dataset data = file.load();
  const nn::DataView view = data.view(nn::Part::valid);
  EXPECT_EQ(view.u8, data.x_u8().data());
  EXPECT_EQ(view.f32, nullptr);
  EXPECT_EQ(view.labels, data.labels().data());
  EXPECT_EQ(view.targets, nullptr);
  EXPECT_EQ(view.outputs, 2);
  EXPECT_EQ(view.rows.data(), data.part(nn::Part::valid).data());
  EXPECT_EQ(view.rows.size(), 2U);
  EXPECT_EQ(view.shape, data.header().input);
}

/// Columns of whole numbers with one row a line; `extra` is a further column.
std::string table(const std::string& extra) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(i * 37 % 256) + "," + std::to_string(i * i % 11) + ",7," + extra +
            (i % 2 == 0 ? ",p\n" : ",q\n");
  }
  return text;
}

TEST(Scaling, IsFittedOnTheTrainingPartOnly) {
  for (const nn::Scale scale : {nn::Scale::standard, nn::Scale::minmax}) {
    CsvFile file(table("3"));
    file.spec.scale = scale;
    file.spec.split = {.valid = 0.3, .test = 0.3, .seed = 5};
    const nn::Dataset data = file.load();
    const auto x = values(data);
    for (std::size_t c = 0; c < 2; ++c) {
      double sum = 0;
      double squares = 0;
      double low = 1e9;
      double high = -1e9;
      for (const auto row : data.part(nn::Part::train)) {
        const double z = (x[row][c] - data.shift()[c]) * data.scale()[c];
        sum += z;
        squares += z * z;
        low = std::min(low, z);
        high = std::max(high, z);
      }
      const auto count = static_cast<double>(data.part(nn::Part::train).size());
      if (scale == nn::Scale::standard) {
        EXPECT_NEAR(sum / count, 0, 1e-6);
        EXPECT_NEAR(squares / count, 1, 1e-6);
      } else {
        EXPECT_NEAR(low, 0, 1e-6);
        EXPECT_NEAR(high, 1, 1e-6);
      }
    }
    EXPECT_EQ(data.scale()[2], 0.0F);  // constant: switched off
  }
}

TEST(Scaling, DoesNotSeeTheOtherParts) {
  CsvFile file(table("3"));
  file.spec.scale = nn::Scale::standard;
  file.spec.split = {.valid = 0.3, .test = 0.3, .seed = 5};
  const nn::Dataset before = file.load();
  // The same file with another number in the first column of every row outside the training part.
  std::vector<bool> in_training(before.rows(), false);
  for (const auto row : before.part(nn::Part::train)) in_training[row] = true;
  std::string text;
  const auto x = values(before);
  for (std::size_t r = 0; r < before.rows(); ++r) {
    for (std::size_t c = 0; c < before.cols(); ++c) {
      text += std::to_string(c == 0 && !in_training[r] ? 1 : static_cast<int>(x[r][c])) + ",";
    }
    text += r % 2 == 0 ? "p\n" : "q\n";
  }
  nn_test::write_file(file.spec.path, text);
  const nn::Dataset after = file.load();
  EXPECT_NE(values(after), values(before));
  EXPECT_EQ(list(after.shift()), list(before.shift()));
  EXPECT_EQ(list(after.scale()), list(before.scale()));
}

TEST(Scaling, BytesAndFloatsGiveTheSameNumbers) {
  CsvFile bytes(table("3"));
  CsvFile floats(table("3.5"));
  for (const nn::Scale scale : {nn::Scale::standard, nn::Scale::minmax, nn::Scale::none}) {
    bytes.spec.scale = floats.spec.scale = scale;
    bytes.spec.split = floats.spec.split = {.valid = 0.2, .test = 0.2, .seed = 0};
    const nn::Dataset small = bytes.load();
    const nn::Dataset large = floats.load();
    ASSERT_EQ(small.header().storage, nn::Storage::u8);
    ASSERT_EQ(large.header().storage, nn::Storage::f32);
    for (std::size_t r = 0; r < small.rows(); ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(values(small)[r][c], values(large)[r][c]);
      }
    }
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(small.shift()[c], large.shift()[c]);
      EXPECT_EQ(small.scale()[c], large.scale()[c]);
    }
  }
}

TEST(Scaling, LeavesOneHotInputsAlone) {
  for (const nn::Scale scale : {nn::Scale::standard, nn::Scale::minmax, nn::Scale::unit}) {
    CsvFile file("t,n,y\nr,10,p\nb,20,q\nr,30,p\ng,40,q\n");
    file.spec.scale = scale;
    const nn::Dataset data = file.load();
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(data.shift()[c], 0.0F);
      EXPECT_EQ(data.scale()[c], 1.0F);
    }
    EXPECT_NE(data.scale()[3], 1.0F);
  }
}

TEST(Preprocessing, IsWrittenDown) {
  CsvFile file("t,n,y\nr,10,p\nb,,q\nr,30,p\nb,40,q\n");
  file.spec.scale = nn::Scale::minmax;
  const auto json = nlohmann::json::parse(nn::preprocessing_json(file.load()));
  EXPECT_EQ(json, nlohmann::json::parse(R"({
    "task": "classification", "target": "y", "classes": ["p", "q"], "input": [4],
    "columns": [{"name": "t", "categories": ["b", "r"]}, {"name": "n", "fill": 26.66666603088379,
    "indicator": true}], "places": 0,
    "scale": "minmax", "shift": [0.0, 0.0, 10.0, 0.0],
    "factor": [1.0, 1.0, 0.03333333507180214, 1.0]})"));
  CsvFile numbers("a,y\n1,0.5\n2,1.5\n");
  EXPECT_EQ(
      nn::preprocessing_json(numbers.load()),
      R"({"task":"regression","target":"y","target_shift":1.0,"target_unit":0.5,"input":[1],)"
      R"("columns":[{"name":"a","fill":1.5}],"places":0,"scale":"none","shift":0.0,"factor":1.0})");
}

}  // namespace
