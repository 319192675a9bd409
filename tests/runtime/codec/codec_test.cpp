#include "runtime/codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>

#include "base/random.h"
#include "runtime/key.h"

namespace {

enum class Colour : std::uint16_t { red = 1, green = 700 };

struct Inner {
  std::uint8_t small = 0;  // followed by 7 bytes of padding that must never show
  double number = 0;
  bool operator==(const Inner&) const = default;
};

struct Everything {
  bool flag = false;
  char letter = 'a';
  Colour colour = Colour::red;
  float single = 0;
  std::string text;
  std::vector<Inner> inners;
  std::vector<bool> bits;
  std::array<int, 3> triple{};
  std::pair<std::int8_t, std::string> pair;
  std::tuple<int, Inner> tuple;
  std::optional<std::string> maybe;
  std::map<std::string, double> table;
  std::set<int> numbers;
  std::variant<int, std::string, Inner> choice;
  std::vector<float> block;
  bool operator==(const Everything&) const = default;
};

struct Nothing {
  bool operator==(const Nothing&) const = default;
};

class Tree {
 public:
  int value = 0;
  std::vector<Tree> children;
  template <class A>
  void fields(A& a) {
    a(value, children);
  }
  bool operator==(const Tree&) const = default;
};

struct HoldsPointer {
  int* p;
};
struct HoldsArray {
  int before;
  double values[2];
};
struct Base {
  int x;
};
struct Derived : Base {
  int y;
};
struct Seventeen {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q;
};
struct Sixteen {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
  bool operator==(const Sixteen&) const = default;
};
class Private {
 public:
  Private() = default;

 private:
  [[maybe_unused]] int x_ = 0;
};
struct NoDefault {
  explicit NoDefault(int) {}
  int x = 0;
};

static_assert(rt::Encodable<Everything> && rt::Encodable<Nothing> && rt::Encodable<Tree> &&
              rt::Encodable<Sixteen>);
static_assert(rt::Encodable<std::tuple<>> && rt::Encodable<std::monostate> &&
              rt::Encodable<std::array<Inner, 2>>);
static_assert(!rt::Encodable<HoldsPointer> && !rt::Encodable<HoldsArray> &&
              !rt::Encodable<Derived>);
static_assert(!rt::Encodable<Seventeen> && !rt::Encodable<Private> && !rt::Encodable<NoDefault> &&
              !rt::Encodable<int&>);
static_assert(!rt::Encodable<std::unordered_map<int, int>> &&
              !rt::Encodable<std::shared_ptr<int>> && !rt::Encodable<long double> &&
              !rt::Encodable<std::vector<const char*>> && !rt::Encodable<wchar_t>);

std::string hex(std::span<const std::byte> bytes) {
  std::string out;
  for (const std::byte b : bytes) {
    out += "0123456789abcdef"[std::to_integer<unsigned>(b) >> 4];
    out += "0123456789abcdef"[std::to_integer<unsigned>(b) & 15];
  }
  return out;
}

std::string random_text(base::Stream& r) {
  std::string s(r.below(9), ' ');
  for (char& c : s) c = static_cast<char>(r.below(256));
  return s;
}

Inner random_inner(base::Stream& r) {
  return {static_cast<std::uint8_t>(r.below(256)), r.normal()};
}

Everything random_everything(base::Stream& r) {
  Everything e;
  e.flag = r.below(2) != 0;
  e.letter = static_cast<char>(r.below(256));
  e.colour = r.below(2) != 0 ? Colour::red : Colour::green;
  e.single = static_cast<float>(r.normal());
  e.text = random_text(r);
  for (auto n = r.below(4); n > 0; --n) e.inners.push_back(random_inner(r));
  for (auto n = r.below(12); n > 0; --n) e.bits.push_back(r.below(2) != 0);
  e.triple = {static_cast<int>(r.u32()), 0, -1};
  e.pair = {static_cast<std::int8_t>(r.below(256)), random_text(r)};
  e.tuple = {static_cast<int>(r.u32()), random_inner(r)};
  if (r.below(2) != 0) e.maybe = random_text(r);
  for (auto n = r.below(4); n > 0; --n) e.table[random_text(r)] = r.normal();
  for (auto n = r.below(4); n > 0; --n) e.numbers.insert(static_cast<int>(r.below(1000)));
  switch (r.below(3)) {
    case 0:
      e.choice = static_cast<int>(r.u32());
      break;
    case 1:
      e.choice = random_text(r);
      break;
    default:
      e.choice = random_inner(r);
  }
  for (auto n = r.below(6); n > 0; --n) e.block.push_back(static_cast<float>(r.normal()));
  return e;
}

TEST(Codec, FrozenBytes) {
  // The form is a contract with every store on disk: it may never change.
  EXPECT_EQ(hex(rt::encode(std::int32_t{-2})), "feffffff");
  EXPECT_EQ(hex(rt::encode(1.0)), "000000000000f03f");
  EXPECT_EQ(hex(rt::encode(std::string("hi"))), "02000000000000006869");
  EXPECT_EQ(hex(rt::encode(Inner{7, 1.0})), "07000000000000f03f");
  EXPECT_EQ(hex(rt::encode(std::optional<bool>(true))), "0101");
  EXPECT_EQ(hex(rt::encode(std::variant<int, bool>(false))), "0100");
  EXPECT_EQ(hex(rt::encode(std::vector<std::uint16_t>{1, 2})), "020000000000000001000200");
  EXPECT_EQ(hex(rt::encode(Nothing{})), "00");
  EXPECT_EQ(hex(rt::encode(std::map<char, bool>{{'b', true}, {'a', false}})),
            "020000000000000061006201");
}

TEST(Codec, RoundTripOfRandomValues) {
  base::Stream random(1, "codec");
  for (int i = 0; i < 3000; ++i) {
    const Everything value = random_everything(random);
    const base::Bytes bytes = rt::encode(value);
    const auto back = rt::decode<Everything>(bytes);
    ASSERT_EQ(back, value);
    ASSERT_EQ(rt::encode(back), bytes);
  }
  const Sixteen sixteen{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  EXPECT_EQ(rt::decode<Sixteen>(rt::encode(sixteen)), sixteen);
  Tree tree{1, {{2, {}}, {3, {{4, {}}}}}};
  EXPECT_EQ(rt::decode<Tree>(rt::encode(tree)), tree);
}

TEST(Codec, KeepsTheBitsOfEveryDouble) {
  for (const double x : {0.0, -0.0, 5e-324, double{INFINITY}, -double{INFINITY},
                         std::numeric_limits<double>::max()}) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(rt::decode<double>(rt::encode(x))),
              std::bit_cast<std::uint64_t>(x));
  }
  EXPECT_TRUE(std::isnan(rt::decode<double>(rt::encode(double{NAN}))));
}

TEST(Codec, PaddingNeverShows) {
  // Two equal values in memory that differs in every padding byte.
  alignas(Inner) std::array<std::byte, sizeof(Inner)> a, b;
  a.fill(std::byte{0x00});
  b.fill(std::byte{0xff});
  auto* first = new (a.data()) Inner;
  auto* second = new (b.data()) Inner;
  first->small = second->small = 9;
  first->number = second->number = 2.5;
  EXPECT_EQ(rt::key_of(*first), rt::key_of(*second));
}

TEST(Codec, EveryCutIsRefused) {
  base::Stream random(2, "cuts");
  for (int i = 0; i < 100; ++i) {
    const base::Bytes bytes = rt::encode(random_everything(random));
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      ASSERT_THROW(static_cast<void>(rt::decode<Everything>(std::span(bytes).first(n))),
                   base::Error)
          << n;
    }
    base::Bytes longer = bytes;
    longer.push_back(std::byte{0});
    ASSERT_THROW(static_cast<void>(rt::decode<Everything>(longer)), base::Error);
  }
}

TEST(Codec, FlippedBytesGiveAnErrorOrAnotherCanonicalValue) {
  base::Stream random(3, "flips");
  for (int i = 0; i < 20000; ++i) {
    base::Bytes bytes = rt::encode(random_everything(random));
    bytes[random.below(bytes.size())] ^= static_cast<std::byte>(1 + random.below(255));
    try {
      ASSERT_EQ(rt::encode(rt::decode<Everything>(bytes)), bytes);
    } catch (const base::Error& e) {
      ASSERT_EQ(e.kind(), base::Errc::data);
    }
  }
}

TEST(Codec, RandomBytesNeverCrash) {
  base::Stream random(4, "noise");
  for (int i = 0; i < 20000; ++i) {
    base::Bytes bytes(random.below(60));
    for (std::byte& b : bytes)
      b = static_cast<std::byte>(random.below(random.below(2) != 0 ? 3 : 256));
    try {
      static_cast<void>(rt::decode<std::vector<Everything>>(bytes));
    } catch (const base::Error&) {
      continue;
    }
  }
}

TEST(Codec, HugeCountsAreRefusedBeforeAnythingIsAllocated) {
  const base::Bytes huge = rt::encode(std::numeric_limits<std::uint64_t>::max() / 2);
  EXPECT_THROW(static_cast<void>(rt::decode<std::string>(huge)), base::Error);
  EXPECT_THROW(static_cast<void>(rt::decode<std::vector<double>>(huge)), base::Error);
  EXPECT_THROW(static_cast<void>(rt::decode<std::vector<Nothing>>(huge)), base::Error);
  EXPECT_THROW(static_cast<void>((rt::decode<std::map<int, int>>(huge))), base::Error);
}

TEST(Codec, DeepNestingIsRefused) {
  Tree deep;
  for (int i = 0; i < 300; ++i) {
    Tree outer;
    outer.children.push_back(std::move(deep));
    deep = std::move(outer);
  }
  EXPECT_THROW(static_cast<void>(rt::decode<Tree>(rt::encode(deep))), base::Error);
}

TEST(Codec, ManyValuesSideBySideAreNotDeep) {
  const Tree wide{1, std::vector<Tree>(300)};
  EXPECT_EQ(rt::decode<Tree>(rt::encode(wide)), wide);
}

TEST(Codec, OrderOfKeysIsPartOfTheForm) {
  rt::Writer w;
  w.put_count(2);
  w.put(std::pair(2, 0));
  w.put(std::pair(1, 0));
  EXPECT_THROW(static_cast<void>(rt::decode<std::map<int, int>>(w.bytes())), base::Error);
  rt::Writer twice;
  twice.put_count(2);
  twice.put(1);
  twice.put(1);
  EXPECT_THROW(static_cast<void>(rt::decode<std::set<int>>(twice.bytes())), base::Error);
}

TEST(Codec, MessageNamesThePlace) {
  try {
    static_cast<void>(
        rt::decode<std::pair<int, bool>>(rt::encode(std::pair<int, std::uint8_t>(1, 9))));
    FAIL();
  } catch (const base::Error& e) {
    EXPECT_STREQ(e.what(), "malformed bytes: at 5 of 5 expected a bool");
  }
}

}  // namespace
