#include "base/clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"

namespace {

base::Moment g_fake{};
base::Moment fake_now() noexcept { return g_fake; }
void fake_sleep(base::Duration d) { g_fake = g_fake + d; }

TEST(Clock, NeverGoesBackAndSleepsLongEnough) {
  const base::Moment start = base::now();
  base::sleep_for(std::chrono::milliseconds(3));
  EXPECT_GE(base::seconds_since(start), 0.003);
  base::Moment last = start;
  for (int i = 0; i < 1000; ++i) {
    const base::Moment t = base::now();
    ASSERT_GE(t, last);
    last = t;
  }
}

TEST(Clock, AnotherOneCanBeInstalled) {
  base::install_clock({fake_now, fake_sleep});
  const base::Moment start = base::now();
  base::sleep_for(std::chrono::hours(5));
  EXPECT_EQ(base::seconds_since(start), 5 * 3600.0);
  base::install_clock(base::machine_clock());
}

TEST(Clock, WallTimeIsIso8601) {
  const std::string text = base::wall_time();
  ASSERT_EQ(text.size(), 20u);
  EXPECT_EQ(text[10], 'T');
  EXPECT_EQ(text.back(), 'Z');
  EXPECT_LT(std::abs(static_cast<double>(*base::wall_seconds(text) - std::time(nullptr))), 60);
}

TEST(Clock, AWallTimeIsReadBackAndNoOtherText) {
  EXPECT_EQ(base::wall_seconds("1970-01-02T00:00:01Z"), 86401);
  EXPECT_EQ(base::wall_seconds("2026-11-20T09:30:00Z"), 1795167000);
  for (const char* other : {"", "yesterday", "2026-11-20T09:30:00", "2026-11-20T09:30:00Z, or so"})
    EXPECT_FALSE(base::wall_seconds(other)) << other;
}

TEST(Error, KindsHaveTheirExitCodes) {
  const std::vector<std::pair<base::Errc, int>> codes = {
      {base::Errc::usage, 2},      {base::Errc::study, 3},    {base::Errc::data, 3},
      {base::Errc::storage, 4},    {base::Errc::locked, 5},   {base::Errc::no_device, 6},
      {base::Errc::cancelled, 75}, {base::Errc::internal, 70}};
  for (const auto& [kind, code] : codes)
    EXPECT_EQ(base::exit_code(kind), code) << base::errc_name(kind);
}

TEST(Log, GoesToTheSink) {
  std::vector<std::string> seen;
  base::LogSink before = base::set_log_sink([&](base::LogLevel level, std::string_view line) {
    seen.push_back((level == base::LogLevel::warning ? "w:" : "n:") + std::string(line));
  });
  base::warn("one");
  base::note("two");
  base::set_log_sink(before);
  EXPECT_EQ(seen, (std::vector<std::string>{"w:one", "n:two"}));
}

}  // namespace
