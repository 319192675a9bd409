#include "base/json_double.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "base/text.h"

namespace {

/// Compares with another writer, whose text must read back.
void expect_same(double x) {
  const std::string text = base::json_double(x);
  ASSERT_EQ(text, nlohmann::json(x).dump());
  if (std::isfinite(x)) {
    ASSERT_EQ(base::parse_double(text), x) << text;
  }
}

TEST(JsonDouble, AlwaysShowsThatItIsNoInteger) {
  EXPECT_EQ(base::json_double(1), "1.0");
  EXPECT_EQ(base::json_double(-0.0), "-0.0");
  EXPECT_EQ(base::json_double(0.0001), "0.0001");
  EXPECT_EQ(base::json_double(0.00001), "1e-05");
  EXPECT_EQ(base::json_double(1e14), "100000000000000.0");
  EXPECT_EQ(base::json_double(1e15), "1e+15");
  EXPECT_EQ(base::json_double(-1.5e300), "-1.5e+300");
  EXPECT_EQ(base::json_double(123.25), "123.25");
  EXPECT_EQ(base::json_double(std::nan("")), "null");
  EXPECT_EQ(base::json_double(INFINITY), "null");
}

TEST(JsonDouble, IsNotAlwaysTheNearest) {
  const double x = -0x1.e5e68p+0;
  EXPECT_EQ(base::json_double(x), "-1.8980484008789063");
  EXPECT_EQ(base::format_double(x), "-1.8980484008789062");
}

TEST(JsonDouble, HasTheDigitsThatFilesHave) {
  for (int e = -1074; e < 1024; ++e) expect_same(std::ldexp(1.0, e));
  for (double x : {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
                   2.2250738585072009e-308, 999'999'999'999'999.9})
    expect_same(x);
  base::Stream random(1);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t bits = random.u64();
    const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    for (const double x : {std::bit_cast<double>(bits), static_cast<double>(single),
                           static_cast<double>(static_cast<float>(random.normal()))})
      expect_same(x);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
