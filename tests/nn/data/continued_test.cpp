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
  EXPECT_EQ(error_of(file.folder.path(), [&] { (void)going_on(model, file, {"bea"}); }),
            "expected classes that the data has; it has no 'bea', did you mean 'bee'?");
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
  CsvFile file("a,y\n1,1000\n2,3000.5\n3,5000\n");
  const nn::Dataset data = going_on(model, file);
  EXPECT_NEAR(data.header().targets[0].shift, 3000.17, .01);
  const nn::Continuation how = nn::continuation_of(model, data);
  ASSERT_EQ(how.factor.size(), 1U);
  const auto& was = model.header().targets[0];
  const auto& now = data.header().targets[0];
  const double y = 0.75;  // of the old network
  EXPECT_NEAR((y * how.factor[0] + how.shift[0]) * now.unit + now.shift, y * was.unit + was.shift,
              1e-9);
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

TEST(Continued, WhatDoesNotFitIsSaid) {
  const nn::Dataset model = model_of(old_data());
  const auto refused = [&](const char* text, auto change) {
    CsvFile file(text);
    change(file.spec);
    return error_of(file.folder.path(), [&] { (void)going_on(model, file); });
  };
  const auto as_it_is = [](nn::DataSpec&) {};
  EXPECT_EQ(refused("a,b,kind\n1,2,cat\n2,3,dog\n", as_it_is),
            "expected a table that names some of its columns: 'size', 'colour', 'weight'");
  EXPECT_EQ(refused("size,colour,weight,kind\nbig,red,2,cat\nsmall,red,3,dog\n", as_it_is),
            "expected numbers in column 'size', as it has; the data holds texts");
  EXPECT_EQ(refused("size,colour,weight,kind\n1,red,2,cat\n2,red,3,dog\n",
                    [](nn::DataSpec& spec) { spec.task = nn::LearningTask::regression; }),
            "expected task: classification: the model is one of classes");
  EXPECT_EQ(refused("size,colour,weight,sort\n1,red,2,cat\n2,blue,3,dog\n1,blue,2,cat\n",
                    [](nn::DataSpec& spec) { spec.targets = {"sort"}; }),
            "expected the target 'kind', which it predicts; the data has 'sort'");
}

}  // namespace
