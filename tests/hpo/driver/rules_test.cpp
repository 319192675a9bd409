// What holds for a study under every stopping rule of the registry, and for every sampler whose
// study is extended.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hpo/samplers/registry.h"
#include "hpo/stopping/registry.h"
#include "tests/hpo/driver/sim.h"
#include "tests/hpo/stopping/variants.h"

namespace hpo {
namespace {

using sim::events_of;
using sim::ReportBomb;
using sim::session;
using sim::Work;

/// Gets better for as many epochs as its size says, then worse; now and then no number.
double value_of(const Params& params, std::int64_t epoch) {
  const double x = std::get<double>(*params.find("x"));
  const auto size = static_cast<double>(std::get<std::int64_t>(*params.find("size")));
  const auto now = static_cast<double>(epoch);
  if (x > 0.95 && epoch > 2) return std::nan("");
  return x + std::abs(now - size / 2) / 9;
}

Work measuring(std::uint64_t chance, base::Path folder = {}) {
  Work work(chance, std::move(folder));
  work.value = value_of;
  return work;
}

/// Studies here are short.
Chosen impatient(Chosen rule) {
  if (rule.options.contains("wait")) rule.options.set("wait", std::int64_t{2});
  if (rule.options.contains("trials")) rule.options.set("trials", std::int64_t{9});
  for (Chosen& one : rule.of) one = impatient(std::move(one));
  return rule;
}

class UnderARule : public testing::TestWithParam<Variant> {
 protected:
  [[nodiscard]] static StudySpec study(std::uint64_t seed) {
    StudySpec spec = sim::study(seed);
    spec.early_stop = impatient(GetParam().rule);
    spec.limits.trials = 24;
    return spec;
  }
};

TEST_P(UnderARule, EveryOrderOfCompletionGivesTheSameStudy) {
  int stopped = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<std::string> expected;
    for (std::uint64_t chance = 0; chance < 4; ++chance) {
      support::TempFolder folder;
      Work work = measuring(chance);
      if (chance == 0) work.most_ticks = 0;
      session(folder.path(), study(seed), work);
      if (chance == 0) expected = events_of(folder.path());
      ASSERT_EQ(events_of(folder.path()), expected) << "study " << seed << ", chance " << chance;
      stopped += StudyReader(folder.path()).counts().stopped;
    }
  }
  const auto idle = [](const Chosen& rule) { return rule.kind == "none"; };
  const Chosen& rule = GetParam().rule;
  const bool never = rule.kind == "all_of" && std::ranges::any_of(rule.of, idle);
  EXPECT_EQ(stopped > 0, !idle(rule) && !never);
}

TEST_P(UnderARule, ADeathAtAnyReportChangesNothing) {
  support::TempFolder reference;
  Work undisturbed = measuring(1);
  session(reference.path(), study(5), undisturbed);
  const auto expected = events_of(reference.path());
  int deaths = 0;
  for (int reports = 0; reports < 200; reports += 7) {
    support::TempFolder folder;
    Work doomed = measuring(static_cast<std::uint64_t>(reports)), rest = measuring(2);
    ReportBomb bomb(reports);
    try {
      session(folder.path(), study(5), doomed, bomb);
      break;
    } catch (const sim::Killed&) {
      ++deaths;
    }
    session(folder.path(), study(5), rest);
    ASSERT_EQ(events_of(folder.path()), expected) << "killed after " << reports << " reports";
  }
  EXPECT_GT(deaths, 5);
}

INSTANTIATE_TEST_SUITE_P(Rules, UnderARule, testing::ValuesIn(rule_variants({{"worst", 0.9}})),
                         [](const auto& test) { return test.param.name; });

class Extended : public testing::TestWithParam<std::tuple<std::string, Variant>> {
 protected:
  [[nodiscard]] static StudySpec study(std::int64_t trials) {
    const auto& [sampler, rule] = GetParam();
    StudySpec spec = sim::study(3);
    // A grid that can be counted: 5 * 9 points.
    spec.space = Space({{.name = "x", .domain = FloatRange{.min = 0, .max = 1, .step = 0.25}},
                        {.name = "size", .domain = IntRange{.min = 1, .max = 9}}});
    spec.limits.trials = trials;
    spec.method = {sampler, options_of(find_sampler_kind(sampler)->info)};
    spec.early_stop = rule.rule;
    return spec;
  }

  static void extend(const base::Path& folder, std::uint64_t chance, Observer& observer) {
    Work more = measuring(chance, folder);
    std::vector<Changed> changes{{"limits.trials", "11", "60"}};
    for (const EventRow& event : StudyReader(folder).events()) {
      if (event.kind == "changed") changes.clear();
    }
    // Nothing is put off, so that a death comes between any two events.
    session(folder, study(60), more, observer, changes, nullptr, base::Duration(0));
  }
};

TEST_P(Extended, GoesOnBehindWhatItHadAndEndsTheSameHoweverOftenItDied) {
  Observer silent;
  support::TempFolder folder;
  Work work = measuring(1, folder.path());
  session(folder.path(), study(11), work);
  const auto before = events_of(folder.path());
  ASSERT_EQ(StudyReader(folder.path()).counts().all(), 11);
  extend(folder.path(), 2, silent);
  const auto after = events_of(folder.path());
  ASSERT_GT(after.size(), before.size());
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin())) << "the past stays";
  EXPECT_EQ(StudyReader(folder.path()).counts().all(), 45) << "the space is exhausted";
  EXPECT_EQ(StudyReader(folder.path()).info().state, StudyState::finished);
  std::set<std::string> points;
  for (const TrialRow& trial : StudyReader(folder.path()).trials())
    points.insert(json_of(trial.params));
  EXPECT_EQ(points.size(), 45U) << "no point comes twice";

  support::TempFolder again;
  Work same = measuring(7, again.path());
  session(again.path(), study(11), same);
  for (const int reports : {3, 20}) {
    ReportBomb bomb(reports);
    EXPECT_THROW(extend(again.path(), 3, bomb), sim::Killed);
  }
  extend(again.path(), 4, silent);
  EXPECT_EQ(events_of(again.path()), after);
}

std::vector<std::string> names(std::span<const base::KindInfo> kinds) {
  std::vector<std::string> names;
  // A population is as large as its members say; its study ends with them.
  for (const base::KindInfo& kind : kinds) {
    if (!is_population(kind.kind)) names.push_back(kind.kind);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Studies, Extended,
                         testing::Combine(testing::ValuesIn(names(sampler_kinds())),
                                          testing::ValuesIn(rule_variants({{"worst", 0.9}}))),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace hpo
