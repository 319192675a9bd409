// The data that a trained network goes on with.

#include "nn/data/continued.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nn/data/preprocessing.h"
#include "nn/data/table_rows.h"
#include "tests/nn/data/files.h"

namespace {

using nn_test::CsvFile;
using nn_test::error_of;
using nn_test::list;
using nn_test::says;
using nn_test::values;
using Rows = std::vector<std::vector<float>>;
using Words = std::vector<std::string>;
using Labels = std::vector<std::int32_t>;
using Places = std::vector<std::int32_t>;

/// Rows a, b ... of one column each.
constexpr const char* kOld =
    "size,colour,weight,kind\n1,red,10,cat\n2,blue,20,dog\n3,red,30,cat\n4,blue,40,dog\n"
    "5,red,50,cat\n6,blue,60,dog\n7,red,70,cat\n8,blue,80,dog\n";

nn::Dataset old_data(nn::Scale scale = nn::Scale::none) {
  CsvFile file(kOld);
  file.spec.scale = scale;
  return file.load();
}

nn::Dataset model_of(const nn::Dataset& data) {
  return nn::preprocessing_from_json(nn::preprocessing_json(data));
}

/// What a model made of `model` goes on with.
nn::Dataset going_on(const nn::Dataset& model, CsvFile& file, const Words& classes = {},
                     CsvFile* replay = nullptr) {
  file.spec.split = {.valid = 0, .test = 0, .seed = 0, .group = {}, .time = {}};
  const nn::Dataset fresh = nn::load_dataset(nn::spec_for_model(file.spec, model));
  std::optional<nn::Dataset> old;
  if (replay != nullptr)
    old.emplace(nn::load_dataset(nn::replay_spec(replay->spec.path, 0, model)));
  return nn::continued_data(fresh, old ? &*old : nullptr, model, classes, {1, 2});
}

TEST(Continued, NewClassesStandBehindTheOldOnes) {
  const nn::Dataset model = model_of(old_data());
  CsvFile file("size,colour,weight,kind\n1,red,1,ape\n2,red,2,dog\n3,blue,3,bee\n4,red,4,cat\n");
  const nn::Dataset data = going_on(model, file);
  EXPECT_EQ(data.header().class_names, (Words{"cat", "dog", "ape", "bee"}));
  EXPECT_EQ(list(data.labels()), (Labels{2, 1, 3, 0}));
  EXPECT_TRUE(says(data, "new classes: 'ape', 'bee'"));
  const nn::Dataset some = going_on(model, file, {"ape"});
  EXPECT_EQ(some.header().class_names, (Words{"cat", "dog", "ape"}));
  EXPECT_EQ(list(some.labels()), (Labels{2}));
  EXPECT_EQ(
      error_of(
          file.folder.path(), [&] { (void)going_on(model, file, {"bea"}); }, base::Errc::study),
      "classes: names 'bea', but the data has no such class, did you mean 'bee'?");
}

TEST(Continued, ColumnsComeAndGo) {
  const nn::Dataset model = model_of(old_data());
  CsvFile file("colour,age,kind,size\ngreen,5,cat,1\nred,6,dog,2\nblue,7,cat,3\n");
  const nn::Dataset data = going_on(model, file);
  const auto& columns = data.header().columns;
  ASSERT_EQ(columns.size(), 4U);
  EXPECT_EQ(columns[0].categories, (Words{"blue", "green", "red"}));
  EXPECT_EQ(columns[1].name, "age");
  EXPECT_EQ(columns[2].name, "size");
  EXPECT_EQ(columns[3].name, "weight");
  EXPECT_TRUE(columns[3].absent);
  // What is gone is what a missing value is: the mean of the first training.
  EXPECT_EQ(values(data), (Rows{{0, 1, 0, 5, 1, 45}, {0, 0, 1, 6, 2, 45}, {1, 0, 0, 7, 3, 45}}));
  EXPECT_EQ(nn::continuation_of(model, data).inputs, (Places{1, -1, 2, -1, 0, 3}));
  EXPECT_TRUE(says(data, "new columns: 'age'"));
  EXPECT_TRUE(says(data, "columns that are gone: 'weight', taken as missing in every row"));
  EXPECT_TRUE(says(data, "new categories of 'colour': 'green'"));
}

TEST(Continued, ATableNeedNotHaveWhatIsGone) {
  const nn::Dataset model = model_of(old_data());
  CsvFile file("colour,age,kind,size\ngreen,5,cat,1\nred,6,dog,2\nblue,7,cat,3\n");
  const nn::Dataset next = model_of(going_on(model, file));
  ASSERT_TRUE(next.header().columns[3].absent);
  nn::TableRows table(file.spec.path, next);
  ASSERT_TRUE(table.next(10));
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.view().f32[5], 45);
  EXPECT_EQ(table.notes(), Words{});
  // It may come back.
  CsvFile again("size,colour,weight,age,kind\n1,red,8,5,cat\n2,red,9,6,dog\n");
  const nn::Dataset data = going_on(next, again);
  EXPECT_FALSE(data.header().columns[2].absent);
  EXPECT_EQ(data.header().columns[2].name, "weight");
}

TEST(Continued, InputsKeepTheModelsScaling) {
  const nn::Dataset old = old_data(nn::Scale::standard);
  const nn::Dataset model = model_of(old);
  CsvFile file(
      "size,colour,weight,age,kind\n100,red,1,5,cat\n200,red,2,6,dog\n300,blue,3,10,cat\n");
  const nn::Dataset data = going_on(model, file);
  EXPECT_EQ(data.shift()[0], old.shift()[0]);
  EXPECT_EQ(data.scale()[0], old.scale()[0]);
  EXPECT_EQ(data.shift()[3], old.shift()[3]);
  EXPECT_EQ(data.shift()[4], 7);
  EXPECT_TRUE(nn::continuation_of(model, data).factor.empty());
  EXPECT_EQ(nn::continuation_of(model, data).inputs, (Places{0, 1, 2, 3, -1}));
}

TEST(Continued, WhatWasConstantCountsAsNew) {
  CsvFile file("a,b,kind\n1,7,cat\n2,7,dog\n3,7,cat\n");
  file.spec.scale = nn::Scale::standard;
  const nn::Dataset model = model_of(file.load());
  ASSERT_EQ(model.scale()[1], 0);
  CsvFile fresh("a,b,kind\n1,7,cat\n2,9,dog\n3,8,cat\n");
  const nn::Dataset data = going_on(model, fresh);
  EXPECT_EQ(data.shift()[1], 8);
  EXPECT_NE(data.scale()[1], 0);
  EXPECT_EQ(nn::continuation_of(model, data).inputs, (Places{0, -1}));
}

TEST(Continued, SameDataIsTakenAsItIs) {
  const nn::Dataset old = old_data(nn::Scale::standard);
  CsvFile file(kOld);
  const nn::Dataset data = going_on(model_of(old), file);
  EXPECT_EQ(values(data), values(old));
  EXPECT_EQ(list(data.shift()), list(old.shift()));
  EXPECT_EQ(list(data.scale()), list(old.scale()));
  EXPECT_EQ(nn::continuation_of(model_of(old), data), nn::Continuation{});
  EXPECT_NE(data.header().content, old.header().content);  // the model's is part of it
}

TEST(Continued, NumbersToPredictAreInTheirOwnUnit) {
  CsvFile first("a,y\n1,0.5\n2,1.5\n3,2.5\n4,3.25\n");
  first.spec.task = nn::LearningTask::regression;
  const nn::Dataset model = model_of(first.load());
  CsvFile file("a,y\n1,10\n2,13.5\n3,15\n");
  const nn::Dataset data = going_on(model, file);
  EXPECT_NEAR(data.header().targets[0].shift, 12.83, .01);
  const nn::Continuation how = nn::continuation_of(model, data);
  ASSERT_EQ(how.factor.size(), 1U);
  const auto& was = model.header().targets[0];
  const auto& now = data.header().targets[0];
  const double y = 0.75;  // of the old network
  EXPECT_NEAR((y * how.factor[0] + how.shift[0]) * now.unit + now.shift, y * was.unit + was.shift,
              1e-9);
}

TEST(Continued, NumbersThatSpreadMuchMoreAreTakenForAnotherUnit) {
  CsvFile first("a,y\n1,0.5\n2,1.5\n3,2.5\n4,3.25\n"), replay("a,y\n1,0.5\n2,1.5\n3,2.5\n4,3.25\n");
  first.spec.task = nn::LearningTask::regression;
  const nn::Dataset model = model_of(first.load());
  CsvFile file("a,y\n1,1000\n2,3000.5\n3,5000\n");
  const nn::Dataset data = going_on(model, file, {}, &replay);
  const nn::Continuation how = nn::continuation_of(model, data);
  EXPECT_EQ(how.factor, std::vector<double>{1});
  EXPECT_EQ(how.shift, std::vector<double>{0});
  // Old rows are what they were to the network.
  const auto& unit = model.header().targets[0];
  double sum = 0;
  for (const auto rows : {data.replayed(), data.part(nn::Part::replay)})
    for (const std::uint32_t row : rows) sum += data.targets()[row] * unit.unit + unit.shift;
  EXPECT_NEAR(sum, 7.75, 1e-5);
  EXPECT_TRUE(std::ranges::any_of(data.header().notes, [](const std::string& note) {
    return note.find("treated as another unit") != std::string::npos;
  }));
}

TEST(Continued, MissingNumbersAreFilledAsInTheModelsTraining) {
  CsvFile first("a,b,kind\n1,10,cat\n2,20,dog\n3,,cat\n4,60,dog\n");
  const nn::Dataset model = model_of(first.load());
  CsvFile file("a,b,new,kind\n1,100,,cat\n2,,4,dog\n3,300,8,cat\n");
  const nn::Dataset data = going_on(model, file);
  EXPECT_EQ(values(data), (Rows{{1, 100, 0, 6, 1}, {2, 30, 1, 4, 0}, {3, 300, 0, 8, 0}}));
  EXPECT_EQ(data.header().columns[1].fill, 30);
  EXPECT_EQ(data.header().columns[2].fill, 6);
}

TEST(Continued, AnIndicatorOfTheModelsTellsOfRareGapsToo) {
  CsvFile first("a,b,kind\n1,10,cat\n2,20,dog\n3,,cat\n4,60,dog\n");
  const nn::Dataset model = model_of(first.load());
  ASSERT_TRUE(model.header().columns[1].indicator);
  std::string rows = "a,b,kind\n1,,cat\n";
  for (int i = 0; i < 200; ++i)
    rows += "1," + std::to_string(i) + (i % 2 == 0 ? ",cat\n" : ",dog\n");
  CsvFile file(rows);
  const nn::Dataset data = going_on(model, file);
  EXPECT_EQ(values(data)[0], (std::vector<float>{1, 30, 1}));
  EXPECT_EQ(values(data)[1], (std::vector<float>{1, 0, 0}));
}

TEST(Continued, OneClassIsEnough) {
  const nn::Dataset model = model_of(old_data());
  CsvFile file("size,colour,weight,kind\n1,red,1,ape\n2,red,2,ape\n");
  EXPECT_EQ(list(going_on(model, file).labels()), (Labels{2, 2}));
}

TEST(Continued, AnotherTargetIsNoListOfNewClasses) {
  const nn::Dataset model = model_of(old_data());
  std::string rows = "size,colour,weight,kind\n";
  for (int i = 0; i < 60; ++i) rows += "1,red,2," + std::to_string(i) + ".5\n";
  CsvFile file(rows);
  EXPECT_EQ(
      error_of(
          file.folder.path(), [&] { (void)going_on(model, file); }, base::Errc::study)
          .substr(0, 90),
      "expected rows of classes that it knows, or a few new ones; the data has 60 others: '0.5', ");
}

TEST(Continued, AReplayIsHalfOfTheTrainingAndAFifthOfItIsHeldOut) {
  const nn::Dataset model = model_of(old_data());
  CsvFile file(
      "size,colour,weight,age,kind\n1,red,1,5,ape\n2,red,2,6,ape\n3,blue,3,7,ape\n"
      "4,blue,4,8,bee\n");
  std::string text = kOld;
  text += "9,red,90,cow\n10,red,95,ape\n";  // the model knows neither
  CsvFile replay(text, "old.csv");
  const nn::Dataset data = going_on(model, file, {}, &replay);
  const nn::Dataset::Header& header = data.header();
  EXPECT_EQ(header.train_rows, 8U);
  EXPECT_EQ(header.replayed_rows + header.replay_rows, 8U);
  EXPECT_EQ(header.replay_rows, data.part(nn::Part::replay).size());
  EXPECT_GE(header.replay_rows, 1U);
  EXPECT_EQ(header.class_names, (Words{"cat", "dog", "ape", "bee"}));
  const Rows rows = values(data);
  for (const std::uint32_t row : data.replayed()) {
    EXPECT_LT(data.labels()[row], 2);
    EXPECT_EQ(rows[row][4], 6.5) << "age is missing there";
  }
  const nn::DataView train = data.view(nn::Part::train);
  EXPECT_EQ(train.replayed.size(), header.replayed_rows);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_GE(data.labels()[train.rows[i]], 2);
  for (std::size_t i = 4; i < 8; ++i) EXPECT_LT(data.labels()[train.rows[i]], 2);
  EXPECT_TRUE(data.view(nn::Part::replay).replayed.empty());
  EXPECT_TRUE(std::ranges::any_of(header.notes, [](const std::string& note) {
    return note.ends_with("left out: the model does not know their classes");
  }));
}

TEST(Continued, AReplayOfAnotherKindIsRefused) {
  CsvFile first("a,b,y\n1,2,0.5\n2,3,1.5\n3,4,2.5\n4,5,3\n"), file("a,b,y\n1,2,0.5\n2,3,1\n");
  const nn::Dataset model = model_of(first.load());
  CsvFile other("a,b,z\n1,2,0.5\n2,3,1.5\n3,4,2\n5,1,7\n6,1,4\n"),
      texts("a,b,y\nx,2,1\nz,3,2\nx,4,1\nz,4,1\n");
  const auto refused = [&](CsvFile& replay, base::Errc kind) {
    return error_of(
        file.folder.path(), [&] { (void)going_on(model, file, {}, &replay); }, kind);
  };
  EXPECT_EQ(refused(texts, base::Errc::study),
            "replay: expected numbers in column 'a', as in the data; it has strings");
  EXPECT_NE(refused(other, base::Errc::data), "no error");
}

TEST(Continued, WholeNumbersWithAFractionAreTheSameCategories) {
  CsvFile first("zip,b,kind\n100,1,cat\n101,2,dog\n100,3,cat\n101,4,dog\n");
  first.spec.categories = {"zip"};
  const nn::Dataset model = model_of(first.load());
  CsvFile file("zip,b,kind\n100.0,1,cat\n,2,dog\n101.0,3,cat\n102.0,4,dog\n");
  const nn::Dataset data = going_on(model, file);
  EXPECT_EQ(data.header().columns[0].categories, (Words{"100", "101", "102.0"}));
  EXPECT_EQ(values(data), (Rows{{1, 0, 0, 1}, {0, 0, 0, 2}, {0, 1, 0, 3}, {0, 0, 1, 4}}));
}

TEST(Continued, ColumnsOfOneNameAreTheModels) {
  const char* text = "a,a,kind\n1,10,cat\n2,20,dog\n3,30,cat\n";
  CsvFile first(text), file(text);
  const nn::Dataset data = going_on(model_of(first.load()), file);
  EXPECT_EQ(values(data), values(first.load()));
}

TEST(Continued, LargeNumbersKeepTheirOffsetApartFromTheirIndicator) {
  std::string before = "t,kind\n", after = "t,kind\n,cat\n";
  for (int i = 0; i < 50; ++i) {
    before += std::to_string(1700000000 + i) + (i % 2 == 0 ? ",cat\n" : ",dog\n");
    after += std::to_string(1700000500 + i) + (i % 2 == 0 ? ",cat\n" : ",dog\n");
  }
  CsvFile first(before), file(after);
  first.spec.scale = nn::Scale::standard;
  const nn::Dataset old = first.load(), model = model_of(old), data = going_on(model, file);
  ASSERT_NE(old.header().columns[0].offset, 0);
  EXPECT_EQ(data.header().columns[0].offset, old.header().columns[0].offset);
  EXPECT_EQ(data.header().columns[0].fill, old.header().columns[0].fill);
  EXPECT_EQ(values(data)[0], (std::vector<float>{old.header().columns[0].fill, 1}));
  EXPECT_EQ(values(data)[1], (std::vector<float>{500, 0}));
  EXPECT_EQ(data.shift()[1], 0);
  EXPECT_EQ(data.scale()[1], 1);
}

TEST(Continued, ATableWithoutAHeaderKeepsItsTarget) {
  CsvFile first("0.5,1,2\n1.5,2,3\n2.5,3,4\n3.5,5,1\n"), file("0.75,1,2\n1.25,2,3\n"),
      replay("0.5,1,2\n1.5,2,3\n2.5,3,4\n3.5,5,1\n0.5,2,2\n");
  first.spec.targets = {"1"};
  first.spec.task = nn::LearningTask::regression;
  const nn::Dataset model = model_of(first.load());
  const nn::Dataset data = going_on(model, file, {}, &replay);
  EXPECT_EQ(data.header().targets[0].name, "c1");
  EXPECT_EQ(data.cols(), 2U);
}

TEST(Continued, WhatDoesNotFitIsSaid) {
  const nn::Dataset model = model_of(old_data());
  const auto refused = [&](const char* text, auto change) {
    CsvFile file(text);
    change(file.spec);
    return error_of(
        file.folder.path(), [&] { (void)going_on(model, file); }, base::Errc::study);
  };
  const auto as_it_is = [](nn::DataSpec&) {};
  EXPECT_EQ(
      refused("a,b,kind\n1,2,cat\n2,3,dog\n", as_it_is),
      "expected a table with some of its columns, 'size', 'colour', 'weight'; the first line has "
      "none of them");
  EXPECT_EQ(refused("size,colour,weight,kind\nbig,red,2,cat\nsmall,red,3,dog\n", as_it_is),
            "expected numbers in column 'size', as in its training; the data has strings there");
  EXPECT_EQ(refused("size,colour,weight,kind\n1,red,2,cat\n2,red,3,dog\n",
                    [](nn::DataSpec& spec) { spec.task = nn::LearningTask::regression; }),
            "expected task: classification, because the model predicts classes");
  EXPECT_EQ(refused("size,colour,weight,sort\n1,red,2,cat\n2,blue,3,dog\n1,blue,2,cat\n",
                    [](nn::DataSpec& spec) { spec.targets = {"sort"}; }),
            "expected a network that predicts 'sort', the target of the data; it predicts 'kind'");
}

}  // namespace
