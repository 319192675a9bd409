// What travels in a model's file: what was written is what is read, and what is no preprocessing is
// refused.

#include "nn/data/preprocessing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "nn/data/encode.h"
#include "tests/nn/data/files.h"

namespace {

using nn_test::CsvFile;
using nn_test::error_of;
using nn_test::list;

constexpr const char* kTable =
    "size,colour,kind\n1.5,red,dog\n2.25,\"light, blue\",cat\n,[red],dog\n-4,red,cat\n";

nn::Dataset table(nn::Scale scale) {
  CsvFile file(kTable);
  file.spec.scale = scale;
  return file.load();
}

TEST(Preprocessing, ReadsBackWhatItWrote) {
  for (const nn::Scale scale : {nn::Scale::standard, nn::Scale::minmax, nn::Scale::none}) {
    const nn::Dataset data = table(scale);
    const nn::Dataset back = nn::preprocessing_from_json(nn::preprocessing_json(data));
    EXPECT_EQ(back.rows(), 0U);
    EXPECT_EQ(back.header().columns, data.header().columns);
    EXPECT_EQ(back.header().class_names, data.header().class_names);
    EXPECT_EQ(back.header().targets.at(0).name, "kind");
    EXPECT_EQ(back.header().scaling, scale);
    EXPECT_EQ(list(back.shift()), list(data.shift()));
    EXPECT_EQ(list(back.scale()), list(data.scale()));
    EXPECT_EQ(nn::preprocessing_json(back), nn::preprocessing_json(data));
  }
}

TEST(Preprocessing, ReadsBackEveryKindOfColumn) {
  std::string text = "when,code,size,kind\n";
  for (int i = 0; i < 160; ++i) {
    text += "2026-01-" + std::to_string(10 + i % 20) + (i % 2 == 0 ? " 12:30" : "") + ",w" +
            std::to_string(i % 70) + "," + (i % 9 == 0 ? "NA" : std::to_string(i % 13)) +
            (i % 2 == 0 ? ",p\n" : ",q\n");
  }
  const nn::Dataset data = CsvFile(text).load();
  const auto& columns = data.header().columns;
  EXPECT_EQ(columns.at(0).kind(), nn::ColumnKind::date);
  EXPECT_TRUE(columns.at(0).clock);
  EXPECT_EQ(columns.at(1).kind(), nn::ColumnKind::hashed);
  EXPECT_TRUE(columns.at(2).indicator);
  EXPECT_EQ(nn::preprocessing_from_json(nn::preprocessing_json(data)).header().columns, columns);
}

TEST(Preprocessing, KeepsTheUnitOfNumbers) {
  CsvFile file("a,y\n1,0.1\n2,1e6\n3,-7.5\n4,2.25\n");
  file.spec.task = nn::LearningTask::regression;
  const nn::Dataset data = file.load();
  const nn::Dataset back = nn::preprocessing_from_json(nn::preprocessing_json(data));
  EXPECT_EQ(back.header().targets, data.header().targets);
  EXPECT_FALSE(back.is_classification());
}

TEST(Preprocessing, KeepsTheUnitsOfSeveralTargets) {
  CsvFile file("a,y,z\n1,0.1,10\n2,1e6,20\n3,-7.5,70\n4,2.25,90\n");
  file.spec.targets = {"z", "y"};
  const nn::Dataset data = file.load();
  const nn::Dataset back = nn::preprocessing_from_json(nn::preprocessing_json(data));
  EXPECT_EQ(back.header().targets, data.header().targets);
  EXPECT_EQ(back.outputs(), 2U);
}

TEST(Preprocessing, EncodesAFieldAsTheLoaderDid) {
  const nn::Dataset data = table(nn::Scale::none);
  const auto& columns = data.header().columns;
  std::vector<float> inputs(3);
  const auto field = [](std::string_view text) { return nn::CsvField{.raw = text}; };
  const auto one = std::span(inputs).first(2);
  EXPECT_EQ(nn::encode(columns[0], field("2.25"), one), nn::Encoded::value);
  EXPECT_EQ(inputs[0], 2.25F);
  EXPECT_EQ(inputs[1], 0);
  EXPECT_EQ(nn::encode(columns[0], field(""), one), nn::Encoded::missing);
  EXPECT_EQ(inputs[0], data.x_f32()[10]);
  EXPECT_EQ(inputs[1], 1);
  EXPECT_EQ(nn::encode(columns[0], field("big"), one), nn::Encoded::no_number);
  EXPECT_EQ(nn::encode(columns[1], field("red"), std::span(inputs)), nn::Encoded::value);
  EXPECT_EQ(inputs, (std::vector<float>{0, 0, 1}));
  EXPECT_EQ(nn::encode(columns[1], field("green"), std::span(inputs)), nn::Encoded::unknown);
  EXPECT_EQ(inputs, (std::vector<float>{0, 0, 0}));
}

TEST(Preprocessing, BytesRememberAFillForRowsStillToCome) {
  const nn::Dataset data = CsvFile("a,y\n1,p\n2,q\n6,p\n").load();
  EXPECT_EQ(data.header().storage, nn::Storage::u8);
  EXPECT_EQ(data.header().columns.at(0).fill, 3);
}

TEST(Preprocessing, KeepsWhatTellsColumnsApart) {
  const auto kept = [](std::string_view text) {
    const std::string json = nn::preprocessing_json(CsvFile(text).load());
    return nn::preprocessing_from_json(json).header().places;
  };
  EXPECT_EQ(kept("a,b,y\n1,2,p\n3,4,q\n"), 0U);
  EXPECT_EQ(kept("1,2,p\n3,4,q\n"), 3U);
}

TEST(Preprocessing, RefusesWhatIsNone) {
  const std::string good = nn::preprocessing_json(table(nn::Scale::standard));
  const auto message = [&](const char* key, const nlohmann::ordered_json& value) {
    auto json = nlohmann::ordered_json::parse(good);
    json[key] = value;
    return error_of("/", [&] { (void)nn::preprocessing_from_json(json.dump()); });
  };
  const auto read = [](std::string_view text) {
    return error_of("/", [&] { (void)nn::preprocessing_from_json(text); });
  };
  EXPECT_EQ(read("nonsense"), "preprocessing: expected a JSON object");
  EXPECT_EQ(read("{}"), "preprocessing: no \"task\"");
  EXPECT_EQ(read(std::string(100000, '[')), "preprocessing: expected a JSON object");
  EXPECT_EQ(message("task", "clustering"), "preprocessing: \"task\" is unknown to Trellis");
  EXPECT_EQ(message("classes", {"one"}), "preprocessing: fewer than 2 classes");
  EXPECT_EQ(message("classes", 7), "preprocessing: \"classes\" is not a list of strings");
  EXPECT_EQ(message("input", {1e9}), "preprocessing: \"input\" is not the size of a row");
  EXPECT_EQ(message("input", {16777216, 16777216, 16777216}),
            "preprocessing: \"input\" is not the size of a row");
  EXPECT_EQ(message("input", {4}), "preprocessing: the columns are 5 inputs, expected 4");
  EXPECT_EQ(message("columns", 1), "preprocessing: \"columns\" is not a list");
  EXPECT_EQ(message("shift", {1, 2}), "preprocessing: \"shift\" is not a number for each input");
  EXPECT_EQ(message("factor", "big"), "preprocessing: \"factor\" is not a number for each input");
  EXPECT_EQ(message("places", -1), "preprocessing: \"places\" is not a number of columns");
  EXPECT_EQ(message("scale", "cubic"), "preprocessing: \"scale\" is unknown to Trellis");
}

}  // namespace
