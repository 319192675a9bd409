#include "hpo/study/scalars.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hpo::study {
namespace {

TEST(Duration, ReadsUnitsInDescendingOrder) {
  EXPECT_EQ(read_duration("90s"), 90);
  EXPECT_EQ(read_duration("10m"), 600);
  EXPECT_EQ(read_duration("1h30m"), 5400);
  EXPECT_EQ(read_duration("1d2h3m4s5ms"), 93784.005);
  EXPECT_EQ(read_duration("1.5h"), 5400);
  for (const char* bad :
       {"", "10", "m", "10x", "10s5m", "1h1h", "-5s", "1e3s", ".5s", "5 s", "1.2.3s", "5sec"}) {
    EXPECT_EQ(read_duration(bad), std::nullopt) << bad;
  }
}

TEST(Duration, TextReadsBack) {
  for (const double seconds :
       {0.001, 0.5, 1.0, 59.0, 60.0, 61.5, 3600.0, 86400.0, 93784.005, 1e9}) {
    EXPECT_NEAR(read_duration(duration_text(seconds)).value(), seconds, 1e-6)
        << duration_text(seconds);
  }
  EXPECT_EQ(duration_text(5400), "1h30m");
  EXPECT_EQ(duration_text(0), "0s");
}

TEST(Size, ReadsDecimalAndBinaryUnits) {
  EXPECT_EQ(read_size("512MB"), 512'000'000U);
  EXPECT_EQ(read_size("2GiB"), std::uint64_t{2} << 30);
  EXPECT_EQ(read_size("1.5kB"), 1500U);
  EXPECT_EQ(read_size("7B"), 7U);
  for (const char* bad : {"", "5", "GB", "2gb", "2 GB", "2G", "-1MB", "1e3MB", "99999999TB"}) {
    EXPECT_EQ(read_size(bad), std::nullopt) << bad;
  }
}

TEST(Size, TextReadsBack) {
  for (const std::uint64_t bytes :
       {1ULL, 1000ULL, 1024ULL, 1500ULL, 2'000'000'000ULL, 1ULL << 40, 123'456'789ULL}) {
    EXPECT_EQ(read_size(size_text(bytes)), bytes);
  }
  EXPECT_EQ(size_text(2'000'000'000), "2GB");
  EXPECT_EQ(size_text(std::uint64_t{3} << 30), "3GiB");
}

std::string canonical(const Field& field, const std::string& text, bool quoted = false) {
  Node node = plain_node(text, {3, 4});
  node.quoted = quoted;
  return check_scalar(node, field, "field").text;
}

TEST(CheckScalar, GivesOneTextForOneValue) {
  const Field integer{.name = "n", .type = Type::integer, .min = 0, .max = 2000, .words = {"auto"}};
  EXPECT_EQ(canonical(integer, "010"), "10");
  EXPECT_EQ(canonical(integer, "0x1F"), "31");
  EXPECT_EQ(canonical(integer, "1e3"), "1000");
  EXPECT_EQ(canonical(integer, "auto"), "auto");
  const Field number{.name = "x", .type = Type::number};
  EXPECT_EQ(canonical(number, "1"), "1.0");
  EXPECT_EQ(canonical(number, "1e-5"), "0.00001");
  EXPECT_EQ(canonical(number, "+.5"), "0.5");
  EXPECT_EQ(canonical({.name = "b", .type = Type::boolean}, "TRUE"), "true");
  EXPECT_EQ(canonical({.name = "t", .type = Type::text}, "1e3"), "1e3");
  EXPECT_EQ(canonical({.name = "d", .type = Type::duration, .min = 0}, "3600s"), "1h");
  EXPECT_EQ(canonical({.name = "s", .type = Type::size, .min = 0}, "1000kB"), "1MB");
  EXPECT_EQ(canonical({.name = "v", .type = Type::value}, "0x10"), "16");
  EXPECT_EQ(canonical({.name = "v", .type = Type::value}, "0x10", true), "0x10");
}

TEST(CheckScalar, RefusesOtherTypesAndValuesOutOfRange) {
  const Field integer{
      .name = "n", .type = Type::integer, .min = 0, .max = 10, .max_excluded = true};
  for (const char* bad : {"-1", "10", "2.5", "x", ".inf", ".nan", "1e300", "true"}) {
    EXPECT_THROW((void)canonical(integer, bad), StudyError) << bad;
  }
  EXPECT_THROW((void)canonical(integer, "5", true), StudyError);
  const Field number{.name = "x", .type = Type::number, .min = 0, .min_excluded = true};
  for (const char* bad : {"0", "-1", ".inf", ".nan", "no"})
    EXPECT_THROW((void)canonical(number, bad), StudyError) << bad;
  EXPECT_THROW((void)canonical({.name = "b", .type = Type::boolean}, "yes"), StudyError);
  EXPECT_THROW((void)canonical({.name = "w", .type = Type::word, .words = {"a"}}, "b"), StudyError);
  try {
    (void)canonical(integer, "99");
    ADD_FAILURE();
  } catch (const StudyError& error) {
    EXPECT_STREQ(error.what(), "field is 99, expected an int of at least 0 and below 10");
    EXPECT_EQ(error.at(), (Position{3, 4}));
  }
}

TEST(Node, ValuesBecomeNodesAndBack) {
  for (const ParamValue& value :
       {ParamValue(true), ParamValue(std::int64_t{-3}), ParamValue(0.1), ParamValue(1.0),
        ParamValue(std::string("x")), ParamValue(std::string("1")), ParamValue(std::string())}) {
    EXPECT_EQ(as_value(node_of(value, {})), value);
  }
  EXPECT_EQ(as_value(plain_node("1e999", {})), std::nullopt);
  EXPECT_EQ(as_value(map_node({})), std::nullopt);
}

}  // namespace
}  // namespace hpo::study
