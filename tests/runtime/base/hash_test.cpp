#include "runtime/base/hash.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/base/bytes.h"

namespace {

TEST(Key, HexAndBack) {
  const rt::Key key{0x0123456789abcdef, 0xfedcba9876543210};
  EXPECT_EQ(key.hex(), "0123456789abcdeffedcba9876543210");
  EXPECT_EQ(rt::Key::from_hex(key.hex()), key);
  EXPECT_FALSE(rt::Key::from_hex("0123"));
  EXPECT_FALSE(rt::Key::from_hex("0123456789ABCDEFfedcba9876543210"));
  EXPECT_FALSE(rt::Key{});
  EXPECT_TRUE(key);
}

TEST(Hash, KnownAnswerOfXxh3) {
  // XXH3-128 of nothing, from the specification.
  EXPECT_EQ(rt::hash_bytes({}).hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(Hasher, PiecesEqualTheWhole) {
  const std::string text(5000, 'x');
  rt::Hasher pieces;
  for (std::size_t i = 0; i < text.size(); i += 37)
    pieces.raw(rt::as_bytes(std::string_view(text).substr(i, 37)));
  EXPECT_EQ(pieces.finish(), rt::hash_bytes(rt::as_bytes(text)));
}

TEST(Hasher, PartsAreDelimited) {
  EXPECT_NE(rt::Hasher().add("ab").add("c").finish(), rt::Hasher().add("a").add("bc").finish());
  EXPECT_NE(rt::Hasher().add("").finish(), rt::Hasher().finish());
}

TEST(Hasher, ACopyGoesItsOwnWay) {
  rt::Hasher prefix;
  prefix.add("task").add(1);
  rt::Hasher a = prefix, b = prefix;
  a.add(2);
  b.add(3);
  EXPECT_NE(a.finish(), b.finish());
  EXPECT_EQ(b.finish(), rt::Hasher().add("task").add(1).add(3).finish());
}

}  // namespace
