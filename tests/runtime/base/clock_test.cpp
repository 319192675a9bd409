#include "runtime/base/clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/log.h"

namespace {

rt::Moment g_fake{};
rt::Moment fake_now() noexcept { return g_fake; }
void fake_sleep(rt::Duration d) { g_fake = g_fake + d; }

TEST(Clock, NeverGoesBackAndSleepsLongEnough) {
  const rt::Moment start = rt::now();
  rt::sleep_for(std::chrono::milliseconds(3));
  EXPECT_GE(rt::seconds_since(start), 0.003);
  rt::Moment last = start;
  for (int i = 0; i < 1000; ++i) {
    const rt::Moment t = rt::now();
    ASSERT_GE(t, last);
    last = t;
  }
}

TEST(Clock, AnotherOneCanBeInstalled) {
  rt::install_clock({fake_now, fake_sleep});
  const rt::Moment start = rt::now();
  rt::sleep_for(std::chrono::hours(5));
  EXPECT_EQ(rt::seconds_since(start), 5 * 3600.0);
  rt::install_clock(rt::machine_clock());
}

TEST(Clock, WallTimeIsIso8601) {
  const std::string text = rt::wall_time();
  ASSERT_EQ(text.size(), 20u);
  EXPECT_EQ(text[10], 'T');
  EXPECT_EQ(text.back(), 'Z');
  EXPECT_LT(std::abs(static_cast<double>(*rt::wall_seconds(text) - std::time(nullptr))), 60);
}

TEST(Clock, AWallTimeIsReadBackAndNoOtherText) {
  EXPECT_EQ(rt::wall_seconds("1970-01-02T00:00:01Z"), 86401);
  EXPECT_EQ(rt::wall_seconds("2026-11-20T09:30:00Z"), 1795167000);
  for (const char* other : {"", "yesterday", "2026-11-20T09:30:00", "2026-11-20T09:30:00Z, or so"})
    EXPECT_FALSE(rt::wall_seconds(other)) << other;
}

TEST(Error, KindsHaveTheirExitCodes) {
  const std::vector<std::pair<rt::Errc, int>> codes = {
      {rt::Errc::usage, 2},      {rt::Errc::study, 3},    {rt::Errc::data, 3},
      {rt::Errc::storage, 4},    {rt::Errc::locked, 5},   {rt::Errc::no_device, 6},
      {rt::Errc::cancelled, 75}, {rt::Errc::internal, 70}};
  for (const auto& [kind, code] : codes)
    EXPECT_EQ(rt::exit_code(kind), code) << rt::errc_name(kind);
}

TEST(Log, GoesToTheSink) {
  std::vector<std::string> seen;
  rt::LogSink before = rt::set_log_sink([&](rt::LogLevel level, std::string_view line) {
    seen.push_back((level == rt::LogLevel::warning ? "w:" : "n:") + std::string(line));
  });
  rt::warn("one");
  rt::note("two");
  rt::set_log_sink(before);
  EXPECT_EQ(seen, (std::vector<std::string>{"w:one", "n:two"}));
}

}  // namespace
