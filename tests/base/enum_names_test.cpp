#include "base/enum_names.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

enum class Color : std::uint8_t { red, green, blue3 };
enum class Only { one };

static_assert(base::enum_count<Color>() == 3);
static_assert(base::enum_count<Only>() == 1);

// One pair less, two that change places, or a word that stands twice: none of these compiles.
constexpr base::EnumNames<Color> kColors{
    {{Color::red, "red"}, {Color::green, "green"}, {Color::blue3, ""}}};

TEST(EnumNames, GoBothWays) {
  EXPECT_EQ(kColors[Color::red], "red");
  EXPECT_EQ(kColors[Color::green], "green");
  EXPECT_EQ(kColors[Color::blue3], "");
  EXPECT_EQ(kColors.find("green"), Color::green);
  EXPECT_EQ(kColors.find(""), Color::blue3);
  EXPECT_EQ(kColors.find("gree"), std::nullopt);
  EXPECT_EQ(kColors.all().size(), 3U);
  EXPECT_EQ(kColors.all()[1], "green");
}

}  // namespace
