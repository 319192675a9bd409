// Faults of a table that its scores do not show, each beside the same table without it.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "tests/nn/data/files.h"

namespace {

using Doubts = std::vector<std::string>;

struct Row {
  std::mt19937& random;
  int number;
  double normal() { return std::normal_distribution<double>()(random); }
  double uniform() { return std::uniform_real_distribution<double>()(random); }
};

/// What is doubted of a table of 400 rows, one text a row.
Doubts doubts_of(
    const std::string& header, const std::function<std::string(Row&)>& row,
    const std::function<void(nn::DataSpec&)>& change = [](nn::DataSpec&) {}) {
  std::mt19937 random(1);
  std::string text = header + "\n";
  for (int i = 0; i < 400; ++i) {
    Row one{random, i};
    text += row(one) + "\n";
  }
  nn_test::CsvFile file(text);
  file.spec.split = {.valid = 0.2, .test = 0.2};
  change(file.spec);
  return file.load().header().doubts;
}

std::string number(double x) { return std::to_string(x); }

void expect_one(const Doubts& doubts, const std::string& word) {
  ASSERT_EQ(doubts.size(), 1u);
  EXPECT_NE(doubts[0].find(word), std::string::npos) << doubts[0];
}

TEST(Doubts, AColumnThatGivesAClassAway) {
  const auto row = [](bool copies) {
    return [copies](Row& r) {
      const bool yes = r.normal() > 0;
      const bool told = copies ? yes : r.normal() > 0;
      return number(r.normal()) + "," + (told ? "paid" : "due") + "," + (yes ? "yes" : "no");
    };
  };
  expect_one(doubts_of("x,state,y", row(true)), "'state' gives the target away");
  EXPECT_EQ(doubts_of("x,state,y", row(false)), Doubts{});
  EXPECT_EQ(doubts_of("x,state,y", row(true), [](auto& spec) { spec.ignore = {"state"}; }),
            Doubts{});
}

TEST(Doubts, NumbersThatGiveAClassAway) {
  const auto row = [](double noise) {
    return [noise](Row& r) {
      const double x = r.normal();
      return number(r.normal()) + "," + number(x) + "," + (x + noise * r.normal() > 0 ? "b" : "a");
    };
  };
  expect_one(doubts_of("x,score,y", row(0)), "'score' gives the target away");
  EXPECT_EQ(doubts_of("x,score,y", row(0.3)), Doubts{});
}

TEST(Doubts, TheTargetInAnotherUnit) {
  const auto row = [](double noise) {
    return [noise](Row& r) {
      const double y = r.normal();
      return number(r.normal()) + "," + number(32 + 1.8 * y + noise * r.normal()) + "," + number(y);
    };
  };
  expect_one(doubts_of("x,fahrenheit,celsius", row(0.01)), "'fahrenheit' gives the target away");
  EXPECT_EQ(doubts_of("x,fahrenheit,celsius", row(0.5)), Doubts{});
}

TEST(Doubts, ACodeForTheClassWithGapsAndSlips) {
  const auto row = [](double slips, double gaps) {
    return [slips, gaps](Row& r) {
      const auto kind = r.random() % 4;
      const bool slip = r.uniform() < slips, gap = r.uniform() < gaps;
      const auto code = 10 * (slip ? r.random() % 4 : kind);
      return number(r.normal()) + "," + (gap ? "" : std::to_string(code)) + "," +
             std::string(1, static_cast<char>('a' + kind));
    };
  };
  expect_one(doubts_of("x,code,y", row(0.01, 0.02)), "'code' gives the target away");
  expect_one(doubts_of("x,code,y", row(0, 0.3)), "'code' gives the target away");
  EXPECT_EQ(doubts_of("x,code,y", row(0.2, 0)), Doubts{});
}

TEST(Doubts, AScoreWhoseIntervalsAreTheClassesButForSlips) {
  const auto row = [](double slips) {
    return [slips](Row& r) {
      const double score = r.normal();
      const char kind = score < -0.4 ? 'b' : score < 0.5 ? 'c' : 'a';
      const bool slip = r.uniform() < slips;
      return number(r.normal()) + "," + number(score) + "," + (slip ? 'a' : kind);
    };
  };
  expect_one(doubts_of("x,score,y", row(0.005)), "'score' gives the target away");
  EXPECT_EQ(doubts_of("x,score,y", row(0.05)), Doubts{});
}

TEST(Doubts, TheTargetInAnotherUnitWithGapsAndSlips) {
  const auto row = [](double slips, bool squared) {
    return [slips, squared](Row& r) {
      const double y = 100 + 20 * r.normal();
      const double other = 1.1 * y + 4 + 0.2 * r.normal();
      const double shown = r.uniform() < slips ? 1000 * r.uniform() : squared ? -y * y : other;
      return number(r.normal()) + "," + (r.uniform() < 0.02 ? "" : number(shown)) + "," + number(y);
    };
  };
  expect_one(doubts_of("x,usd,eur", row(0.005, false)), "'usd' gives the target away");
  expect_one(doubts_of("x,square,y", row(0, true)), "'square' gives the target away");
  EXPECT_EQ(doubts_of("x,usd,eur", row(0.05, false)), Doubts{});
}

TEST(Doubts, RowsThatStandTwice) {
  const auto row = [](int different) {
    return [different](Row& r) {
      std::mt19937 own(static_cast<unsigned>(r.number % different));
      Row same{own, r.number};
      const double x = same.normal(), z = same.normal();
      return number(x) + "," + number(z) + "," + (x + z + same.normal() > 0 ? "b" : "a");
    };
  };
  expect_one(doubts_of("x,z,y", row(200)), "in both the training part and the test part");
  EXPECT_EQ(doubts_of("x,z,y", row(400)), Doubts{});
  // Of few values each, rows are equal by themselves.
  EXPECT_EQ(doubts_of("x,z,y",
                      [](Row& r) {
                        const int x = static_cast<int>(r.random() % 5);
                        return std::to_string(x) + "," + std::to_string(r.random() % 7) + "," +
                               (x + r.normal() > 2 ? "b" : "a");
                      }),
            Doubts{});
}

TEST(Doubts, AColumnOfTimeThatTheTargetFollows) {
  double level = 0;
  const auto row = [&level](double memory) {
    level = 0;
    return [&level, memory](Row& r) {
      level = memory * level + r.normal();
      return std::to_string(r.number + 100) + "," + number(r.normal()) + "," + number(level);
    };
  };
  expect_one(doubts_of("hour,x,y", row(0.95)), "`split: {time: hour}`");
  EXPECT_EQ(doubts_of("hour,x,y", row(0)), Doubts{});
  EXPECT_EQ(doubts_of("hour,x,y", row(0.95), [](auto& spec) { spec.split.time = "hour"; }),
            Doubts{});
}

TEST(Doubts, DatesInAnyOrder) {
  const auto row = [](double drift) {
    return [drift](Row& r) {
      const int day = static_cast<int>(r.random() % 360);
      char date[32];
      std::snprintf(date, sizeof date, "2021-%02d-%02d", day / 30 + 1, day % 28 + 1);
      return std::string(date) + "," + number(r.normal()) + "," +
             number(drift * (day / 30) + r.normal());
    };
  };
  expect_one(doubts_of("date,x,y", row(0.5)), "`split: {time: date}`");
  EXPECT_EQ(doubts_of("date,x,y", row(0)), Doubts{});
}

TEST(Doubts, ARelationThatChangesWithTime) {
  expect_one(doubts_of("step,x,y",
                       [](Row& r) {
                         const double x = r.normal();
                         const double slope = 1 - r.number / 200.0;
                         return std::to_string(r.number) + "," + number(x) + "," +
                                number(2 * slope * x + 0.2 * r.normal());
                       }),
             "`split: {time: step}`");
}

// Rows sorted by what is to be predicted say nothing about time.
TEST(Doubts, NotAFileSortedByItsTarget) {
  EXPECT_EQ(doubts_of("row,x,y",
                      [](Row& r) {
                        return std::to_string(r.number) + "," + number(r.normal()) + "," +
                               std::string(1, static_cast<char>('a' + r.number / 134));
                      }),
            Doubts{});
}

TEST(Doubts, RowsOfOneEntity) {
  const auto row = [](bool shares) {
    return [shares](Row& r) {
      const int patient = static_cast<int>(r.random() % 60);
      std::mt19937 own(static_cast<unsigned>(patient + 1000));
      const bool sick = shares ? own() % 2 == 0 : r.random() % 2 == 0;
      return "P" + std::to_string(patient) + "," + number(r.normal()) + "," + (sick ? "y" : "n");
    };
  };
  expect_one(doubts_of("patientId,x,sick", row(true)), "`split: {group: patientId}`");
  EXPECT_EQ(doubts_of("patientId,x,sick", row(false)), Doubts{});
  EXPECT_EQ(
      doubts_of("patientId,x,sick", row(true), [](auto& spec) { spec.split.group = "patientId"; }),
      Doubts{});
}

TEST(Doubts, NumbersThatAreNames) {
  const auto row = [](bool name) {
    return [name](Row& r) {
      const int machine = static_cast<int>(r.random() % 40);
      std::mt19937 own(static_cast<unsigned>(machine + 1));
      Row same{own, 0};
      const double y = name ? 2 * same.normal() : 0.1 * machine;
      return std::to_string(machine) + "," + number(r.normal()) + "," + number(y + r.normal());
    };
  };
  expect_one(doubts_of("spindle,x,y", row(true)), "`split: {group: spindle}`");
  EXPECT_EQ(doubts_of("load,x,y", row(false)), Doubts{});
}

// Many things go with an age. Of one machine they are its own, and say nothing of the next one's.
TEST(Doubts, NumbersThatOthersGoWith) {
  const auto row = [](bool name) {
    return [name](Row& r) {
      const int number_of = static_cast<int>(20 + r.random() % 50);
      std::mt19937 own(static_cast<unsigned>(number_of + 1));
      Row same{own, 0};
      std::string line = std::to_string(number_of);
      for (int i = 0; i < 3; ++i) {
        const double of_one = name ? 10 * same.normal() : number_of;
        line += "," + number(of_one + r.normal());
      }
      const bool high = name ? own() % 2 == 0 : number_of + 3 * r.normal() > 45;
      return line + (high ? ",y" : ",n");
    };
  };
  expect_one(doubts_of("unit,a,b,c,y", row(true)), "`split: {group: unit}`");
  EXPECT_EQ(doubts_of("Age,a,b,c,y", row(false)), Doubts{});
}

}  // namespace
