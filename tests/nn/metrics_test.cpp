// Every metric of the registry against the numbers that scikit-learn computed
// (tests/golden/metrics.py), and what networks that went wrong get.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <vector>

#include "nn/metrics/metric.h"
#include "tests/support/cost.h"

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

nlohmann::json golden() {
  return nlohmann::json::parse(
      std::ifstream(std::string(TRELLIS_SOURCE_ROOT) + "/tests/golden/metrics.json"));
}

nn::Judged judged_of(const nlohmann::json& json) {
  nn::Judged judged{.width = json.at("width").get<std::size_t>(),
                    .outputs = json.at("outputs").get<std::vector<float>>()};
  if (json.contains("labels")) {
    judged.labels = json.at("labels").get<std::vector<std::int32_t>>();
  } else {
    judged.targets = json.at("targets").get<std::vector<float>>();
    judged.units.assign(judged.width, json.at("unit").get<double>());
  }
  return judged;
}

double value_of(std::string_view name, const nn::Judged& judged) {
  return nn::find_metric(name)->value(judged);
}

TEST(Metrics, AreWhatScikitLearnComputes) {
  std::set<std::string> compared;
  for (const nlohmann::json& json : golden()) {
    const nn::Judged judged = judged_of(json);
    for (const auto& [name, expected] : json.at("expected").items()) {
      const double wanted = expected.get<double>();
      EXPECT_NEAR(value_of(name, judged), wanted, 1e-9 * std::max(1.0, std::abs(wanted)))
          << name << " of " << json.at("name");
      compared.insert(name);
    }
  }
  for (const nn::Metric* metric : nn::metrics())
    EXPECT_TRUE(compared.contains(std::string(metric->name))) << metric->name << " has no number";
}

/// The rows of which each counts `counts[row]` times, one after another.
nn::Judged repeated(const nn::Judged& judged, const std::vector<std::uint32_t>& counts) {
  nn::Judged out{.width = judged.width, .outputs = {}, .units = judged.units};
  for (std::size_t row = 0; row < counts.size(); ++row) {
    for (std::uint32_t copy = 0; copy < counts[row]; ++copy) {
      for (std::size_t i = row * judged.width; i < (row + 1) * judged.width; ++i) {
        out.outputs.push_back(judged.outputs[i]);
        if (!judged.targets.empty()) out.targets.push_back(judged.targets[i]);
      }
      if (!judged.labels.empty()) out.labels.push_back(judged.labels[row]);
    }
  }
  return out;
}

// What intervals are computed from is the metric itself.
TEST(Metrics, AreTheMeanOfTheirRowsOrCountThem) {
  for (const nlohmann::json& json : golden()) {
    const nn::Judged judged = judged_of(json);
    std::vector<std::uint32_t> counts;
    for (std::size_t row = 0; row < judged.rows(); ++row)
      counts.push_back(static_cast<std::uint32_t>(row * row % 4));
    const nn::Judged chosen = repeated(judged, counts);
    for (const auto& [name, unused] : json.at("expected").items()) {
      const nn::Metric& metric = *nn::find_metric(name);
      ASSERT_NE(metric.of_rows == nullptr, metric.of_counts == nullptr) << name;
      for (const nn::Judged* rows : {&judged, &chosen}) {
        const double value = metric.value(*rows);
        double found = 0;
        if (metric.of_rows != nullptr) {
          const std::vector<double> each = metric.of_rows(*rows);
          ASSERT_EQ(each.size(), rows->rows()) << name;
          for (const double one : each) found += one / static_cast<double>(each.size());
        } else {
          found = rows == &judged
                      ? metric.of_counts(judged)(std::vector<std::uint32_t>(judged.rows(), 1))
                      : metric.of_counts(judged)(counts);
        }
        if (std::isnan(value))
          EXPECT_TRUE(std::isnan(found)) << name << " of " << json.at("name");
        else
          EXPECT_NEAR(found, value, 1e-9 * std::max(1.0, std::abs(value)))
              << name << " of " << json.at("name");
      }
    }
  }
}

TEST(Metrics, AnOutputThatIsNoNumberIsNoClass) {
  const nn::Judged judged{.width = 2, .outputs = {1, 0, kNan, 5, 0, 1}, .labels = {0, 1, 1}};
  EXPECT_EQ(nn::class_of(std::span(judged.outputs).subspan(2, 2)), -1);
  EXPECT_DOUBLE_EQ(value_of("accuracy", judged), 2.0 / 3);
  EXPECT_DOUBLE_EQ(value_of("balanced_accuracy", judged), 0.75);
  EXPECT_TRUE(std::isnan(value_of("auc", judged)));
  const nn::Confusion confusion = nn::count_confusion(judged.outputs, judged.labels, 2);
  EXPECT_EQ(confusion.counts, (std::vector<std::int64_t>{1, 0, 0, 1}));
  const nn::ClassCounts counts = nn::count_classes(judged.outputs, judged.labels, 2);
  EXPECT_EQ(counts.truth, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(counts.given, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(counts.right, (std::vector<std::int64_t>{1, 1}));
}

TEST(Metrics, TheWorstMistakesAreThoseOfTheTable) {
  constexpr std::size_t kClasses = 20;
  std::mt19937 random(5);
  nn::Judged judged{.width = kClasses};
  for (int row = 0; row < 700; ++row) {
    judged.labels.push_back(std::uniform_int_distribution(0, 19)(random));
    for (std::size_t c = 0; c < kClasses; ++c)
      judged.outputs.push_back(std::uniform_real_distribution(0.0F, 1.0F)(random));
  }
  const nn::Confusion table = nn::count_confusion(judged.outputs, judged.labels, kClasses);
  const nn::ClassCounts counts = nn::count_classes(judged.outputs, judged.labels, kClasses);
  std::vector<std::int64_t> wrong;
  for (std::size_t truth = 0; truth < kClasses; ++truth) {
    std::int64_t rows = 0, given = 0;
    for (std::size_t c = 0; c < kClasses; ++c) {
      rows += table.at(truth, c);
      given += table.at(c, truth);
      if (c != truth) wrong.push_back(table.at(truth, c));
    }
    EXPECT_EQ(counts.truth[truth], rows);
    EXPECT_EQ(counts.given[truth], given);
    EXPECT_EQ(counts.right[truth], table.at(truth, truth));
  }
  std::ranges::sort(wrong, std::greater());
  const auto worst = nn::worst_mistakes(judged.outputs, judged.labels, kClasses);
  ASSERT_EQ(worst.size(), nn::kMostMistakes);
  for (std::size_t i = 0; i < worst.size(); ++i) {
    EXPECT_EQ(worst[i].rows, wrong[i]);
    const auto truth = static_cast<std::size_t>(worst[i].truth);
    EXPECT_EQ(table.at(truth, static_cast<std::size_t>(worst[i].given)), worst[i].rows);
  }
}

TEST(Metrics, ManyClassesTakeNoTable) {
  constexpr std::size_t kClasses = 10000;
  nn::Judged judged{.width = kClasses, .outputs = std::vector<float>(3 * kClasses)};
  for (const std::size_t given : {7U, 5U, 9999U}) {
    judged.outputs[judged.labels.size() * kClasses + given] = 1;
    judged.labels.push_back(7);
  }
  const long before = support::peak_kilobytes();
  EXPECT_DOUBLE_EQ(value_of("balanced_accuracy", judged), 1.0 / 3);
  EXPECT_DOUBLE_EQ(value_of("f1", judged), 0.5 / 3);
  EXPECT_EQ(nn::worst_mistakes(judged.outputs, judged.labels, kClasses),
            (std::vector<nn::Mistake>{{1, 7, 5}, {1, 7, 9999}}));
  EXPECT_LT(support::peak_kilobytes() - before, 50'000) << "a table takes 800 MB";
}

TEST(Metrics, TheAreaKeepsNoShareOfEachClass) {
  constexpr std::size_t kClasses = 1000, kRows = 10000;
  nn::Judged judged{.width = kClasses, .outputs = std::vector<float>(kClasses * kRows)};
  for (std::size_t row = 0; row < kRows; ++row) {
    judged.labels.push_back(static_cast<std::int32_t>(row % kClasses));
    judged.outputs[row * kClasses + row % kClasses] = 1;
  }
  const long before = support::peak_kilobytes();
  EXPECT_EQ(value_of("auc", judged), 1);
  EXPECT_LT(support::peak_kilobytes() - before, 20'000) << "a share of each class takes 80 MB";
}

TEST(Metrics, OneClassAloneHasNoArea) {
  const nn::Judged judged{.width = 2, .outputs = {1, 0, 2, 5}, .labels = {1, 1}};
  EXPECT_TRUE(std::isnan(value_of("auc", judged)));
}

TEST(Metrics, TheAreaCountsPairsTiesForHalf) {
  std::mt19937 random(3);
  for (const int levels : {1, 2, 5, 1000}) {
    for (const double share : {0.1, 0.5, 0.9}) {
      nn::Judged judged{.width = 2};
      std::vector<int> own{0}, rest{levels};
      const auto add = [&](int level, bool of_class) {
        judged.outputs.insert(judged.outputs.end(), {0, 0.01F * static_cast<float>(level)});
        judged.labels.push_back(of_class ? 1 : 0);
      };
      add(own[0], true), add(rest[0], false);
      for (int row = 0; row < 120; ++row) {
        const int level = std::uniform_int_distribution(0, levels)(random);
        const bool of_class = std::bernoulli_distribution(share)(random);
        add(level, of_class);
        (of_class ? own : rest).push_back(level);
      }
      double higher = 0;
      for (const int a : own) {
        for (const int b : rest) higher += a > b ? 1 : a == b ? 0.5 : 0;
      }
      EXPECT_EQ(value_of("auc", judged), higher / static_cast<double>(own.size() * rest.size()));
    }
  }
}

TEST(Metrics, TargetsApartAreTheirOwnColumns) {
  const nn::Judged judged{.width = 2,
                          .outputs = {1, 10, 2, 30},
                          .targets = {1, 14, 4, 30},
                          .units = {1, 0.5},
                          .names = {"y", "z"}};
  EXPECT_DOUBLE_EQ(value_of("mae", nn::output_of(judged, 0)), 1);
  EXPECT_DOUBLE_EQ(value_of("mae", nn::output_of(judged, 1)), 1);
  EXPECT_DOUBLE_EQ(value_of("mse", nn::output_of(judged, 1)), 2);
  EXPECT_DOUBLE_EQ(value_of("mse", judged), 2);
}

TEST(Metrics, AreNamedForEachTarget) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(nn::measured_names(nn::TargetKind::numbers, Names{"y", "z"}),
            (Names{"mse", "rmse", "mae", "r2", "mse.y", "rmse.y", "mae.y", "r2.y", "mse.z",
                   "rmse.z", "mae.z", "r2.z"}));
  EXPECT_EQ(nn::measured_names(nn::TargetKind::numbers, Names{"y"}).size(), 4U);
  EXPECT_EQ(nn::measured_names(nn::TargetKind::numbers, Names(17, "y")).size(), 4U);
  EXPECT_EQ(nn::measured_names(nn::TargetKind::labels, Names{"y", "z"}).front(), "accuracy");
}

TEST(Metrics, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const nn::Metric* metric : nn::metrics()) {
    EXPECT_TRUE(names.insert(metric->name).second) << metric->name;
    EXPECT_FALSE(metric->doc.empty());
  }
  EXPECT_EQ(nn::find_metric("acuracy"), nullptr);
}

}  // namespace
