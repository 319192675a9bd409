#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>

#include "base/bytes.h"

namespace {

TEST(Key, HexAndBack) {
  const base::Key key{0x0123456789abcdef, 0xfedcba9876543210};
  EXPECT_EQ(key.hex(), "0123456789abcdeffedcba9876543210");
  EXPECT_EQ(base::Key::from_hex(key.hex()), key);
  EXPECT_FALSE(base::Key::from_hex("0123"));
  EXPECT_FALSE(base::Key::from_hex("0123456789ABCDEFfedcba9876543210"));
  EXPECT_FALSE(base::Key{});
  EXPECT_TRUE(key);
}

TEST(Hash, KnownAnswerOfXxh3) {
  // XXH3-128 of nothing, from the specification.
  EXPECT_EQ(base::hash_bytes({}).hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(base::hash64(""), 0x2d06800538d394c2U);  // XXH3-64 of nothing
  // Each length has a branch of its own; these are the library's answers.
  EXPECT_EQ(base::hash64("abc"), 0x78af5f94892f3950U);
  EXPECT_EQ(base::hash64(std::string(300, 'x')), 0xa5d1b4607dc83554U);
}

TEST(Hasher, PiecesEqualTheWhole) {
  const std::string text(5000, 'x');
  base::Hasher pieces;
  for (std::size_t i = 0; i < text.size(); i += 37)
    pieces.raw(base::as_bytes(std::string_view(text).substr(i, 37)));
  EXPECT_EQ(pieces.finish(), base::hash_bytes(base::as_bytes(text)));
}

TEST(Hasher, PartsAreDelimited) {
  EXPECT_NE(base::Hasher().add("ab").add("c").finish(), base::Hasher().add("a").add("bc").finish());
  EXPECT_NE(base::Hasher().add("").finish(), base::Hasher().finish());
}

TEST(Hasher, ACopyGoesItsOwnWay) {
  base::Hasher prefix;
  prefix.add("task").add(1);
  base::Hasher a = prefix, b = prefix;
  a.add(2);
  b.add(3);
  EXPECT_NE(a.finish(), b.finish());
  EXPECT_EQ(b.finish(), base::Hasher().add("task").add(1).add(3).finish());
}

}  // namespace
