// Columns come back from the page as they went in.

#include "hpo/report/pack.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

namespace hpo::report {
namespace {

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6U | static_cast<std::uint32_t>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255U);
  }
  return out;
}

/// Column `number` of a pack of columns of four bytes and equal lengths.
std::vector<std::uint32_t> column_of(const Pack& pack, std::size_t number, std::size_t length) {
  const std::string packed = from_base64(pack.text());
  std::string raw(4 * length * (number + 1) + 4096, '\0');
  uLongf size = static_cast<uLongf>(raw.size());
  EXPECT_EQ(
      uncompress(reinterpret_cast<Bytef*>(raw.data()), &size,
                 reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size())),
      Z_OK);
  std::vector<std::uint32_t> words(length);
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t i = 0; i < length; ++i)
      words[i] |= static_cast<std::uint32_t>(
                      static_cast<unsigned char>(raw[4 * length * number + k * length + i]))
                  << (8 * k);
  return words;
}

float float_of(std::uint32_t word) {
  float x = 0;
  std::memcpy(&x, &word, sizeof x);
  return x;
}

TEST(Pack, KeepsWholeNumbersAndFloats) {
  Pack pack;
  const std::vector<std::int64_t> whole{0,  1,        255, 256, 4'294'967'294, 4'294'967'295,
                                        -1, INT64_MAX};
  const std::vector<double> floats{0,        -0.5,      1e-30, 0.98333, std::nan(""),
                                   INFINITY, -INFINITY, 1e300};
  pack.whole("a", whole);
  pack.floats("b", floats);
  const auto a = column_of(pack, 0, whole.size());
  EXPECT_EQ(a[4], 4'294'967'294U);
  EXPECT_EQ(a[2], 255U);
  EXPECT_EQ(a[3], 256U);
  for (const std::size_t at : {5, 6, 7})
    EXPECT_EQ(a[at], std::numeric_limits<std::uint32_t>::max());
  const auto b = column_of(pack, 1, floats.size());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    const auto wanted = static_cast<float>(floats[i]);
    if (std::isnan(wanted))
      EXPECT_TRUE(std::isnan(float_of(b[i])));
    else
      EXPECT_EQ(float_of(b[i]), wanted);
  }
  EXPECT_EQ(pack.contents(), R"([["a","u4",8],["b","f4",8]])");
}

TEST(Pack, ShortFloatsHaveFiveDigits) {
  Pack pack;
  std::vector<double> floats;
  for (int i = 1; i < 500; ++i) floats.push_back(0.9 + 1e-4 * i);
  pack.floats("x", floats, true);
  const auto words = column_of(pack, 0, floats.size());
  for (std::size_t i = 0; i < floats.size(); ++i)
    EXPECT_NEAR(float_of(words[i]), floats[i], 1.6e-5 * floats[i]);
}

TEST(Pack, OfNothingAndOfLevelColumns) {
  Pack nothing;
  EXPECT_EQ(nothing.contents(), "[]");
  EXPECT_FALSE(nothing.text().empty());
  Pack level;
  level.floats("x", std::vector<double>(100'000, 0.5));
  EXPECT_LT(level.text().size(), 1000U);
}

TEST(Base64, IsThatOfTheStandard) {
  const auto of = [](std::string_view text) {
    return base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(of("\xff\xfe\xfd"), "//79");
}

}  // namespace
}  // namespace hpo::report
