// Buffers: versions, updates in place, copies, shapes.
#include "tests/runtime/core/support.h"

namespace {

using testing_rt::copy_of;
using testing_rt::RuntimeTest;
using testing_rt::Vec;

const auto fill =
    rt::task("fill").cpu([](rt::out<Vec> v, double x) { std::ranges::fill(v->values(), x); });
const auto add_to = rt::task("add").cpu([](rt::inout<Vec> v, double x) {
  for (double& y : v->values()) y += x;
  return reinterpret_cast<std::uint64_t>(v->values().data());
});
const auto sum = rt::task("sum").cpu(
    [](rt::in<Vec> v) { return std::accumulate(v->values().begin(), v->values().end(), 0.0); });
const auto grown = rt::task("grown").cpu([](rt::in<Vec> v, std::uint64_t more) {
  Vec larger(Vec::Header{v->header().length + more, 7});
  std::ranges::copy(v->values(), larger.values().begin());
  std::fill(larger.values().begin() + static_cast<std::ptrdiff_t>(v->header().length),
            larger.values().end(), 1.0);
  return larger;
});

class Buffers : public RuntimeTest {};

TEST_F(Buffers, OutTakesTheHeaderOfAnUninitialisedValue) {
  rt::Value<Vec> v = rt::uninitialised<Vec>({100, 5});
  fill(v, 2);
  EXPECT_EQ(sum(v).get(), 200);
  EXPECT_EQ(v.get().header().tag, 5);
}

TEST_F(Buffers, OutOfAnEmptyValueIsRefused) {
  rt::Value<Vec> v;
  EXPECT_THROW(fill(v, 2), base::Error);
  rt::Value<Vec> u = rt::uninitialised<Vec>({100, 5});
  EXPECT_THROW(sum(u), base::Error);
}

TEST_F(Buffers, ACallThatReadsAndUpdatesOneValueReadsWhatItWas) {
  static const auto plus = rt::task("plus").cpu([](rt::inout<Vec> v, rt::in<Vec> w) {
    for (std::size_t i = 0; i < v->values().size(); ++i) v->values()[i] += w->values()[i];
  });
  rt::Value<Vec> v = rt::value(Vec(std::vector<double>{1, 2}));
  plus(v, v);
  plus(v, v);
  EXPECT_EQ(testing_rt::copy_of(v.get()), (std::vector<double>{4, 8}));
}

TEST_F(Buffers, ACallThatUpdatesOneValueTwiceIsRefused) {
  static const auto both = rt::task("both").cpu([](rt::inout<Vec>, rt::inout<Vec>) {});
  rt::Value<Vec> v = rt::value(Vec(std::vector<double>{1, 2}));
  EXPECT_THROW(both(v, v), base::Error);
  EXPECT_EQ(v.get().values()[1], 2);
}

TEST_F(Buffers, LongChainsWorkInPlace) {
  rt::Value<Vec> v = rt::value(Vec(Vec::Header{64, 0}));
  std::vector<rt::Value<std::uint64_t>> places;
  for (int i = 0; i < 1000; ++i) places.push_back(add_to(v, 1));
  EXPECT_EQ(sum(v).get(), 64000);
  for (const auto& place : places) EXPECT_EQ(place.get(), places.front().get());
  EXPECT_EQ(runtime->summary().copies, 0U);
}

TEST_F(Buffers, AVersionThatIsStillNamedIsCopied) {
  rt::Value<Vec> v = rt::value(Vec(Vec::Header{64, 3}));
  const rt::Value<Vec> old = v;
  const auto first = add_to(v, 1);
  const auto second = add_to(v, 1);
  EXPECT_EQ(sum(v).get(), 128);
  EXPECT_EQ(sum(old).get(), 0);
  EXPECT_EQ(v.get().header().tag, 3);
  EXPECT_EQ(first.get(), second.get());
  EXPECT_EQ(runtime->summary().copies, 1U);
}

TEST_F(Buffers, AReaderThatHasNotRunKeepsTheOldVersion) {
  rt::Value<Vec> v = rt::value(Vec(Vec::Header{64, 0}));
  std::vector<rt::Value<double>> sums;
  for (int i = 0; i < 50; ++i) {
    add_to(v, 1);
    sums.push_back(sum(v));
  }
  for (int i = 0; i < 50; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)].get(), 64 * (i + 1));
}

TEST_F(Buffers, ReturnedBuffersMayHaveAnySize) {
  rt::Value<Vec> v = rt::value(Vec(std::vector<double>{1, 2, 3}));
  for (int i = 0; i < 20; ++i) {
    v = grown(v, 3);
    add_to(v, 1);
  }
  EXPECT_EQ(v.get().header().length, 63U);
  EXPECT_EQ(v.get().values()[0], 21);
  EXPECT_EQ(v.get().values()[62], 2);
}

TEST_F(Buffers, EmptyBuffersKeepTheirOrder) {
  rt::Value<Vec> v = rt::value(Vec(Vec::Header{0, 0}));
  const auto tag =
      rt::task("tag").cpu([](rt::inout<Vec> b) { b->set_tag(b->header().tag * 2 + 1); });
  for (int i = 0; i < 5; ++i) tag(v);
  EXPECT_EQ(v.get().header().tag, 31);
}

TEST_F(Buffers, HeadersChangeWithTheirVersion) {
  const auto tag = rt::task("tag").cpu([](rt::inout<Vec> b, int t) { b->set_tag(t); });
  rt::Value<Vec> v = rt::value(Vec(Vec::Header{8, 0}));
  const rt::Value<Vec> old = v;
  tag(v, 1);
  const rt::Value<Vec> middle = v;
  tag(v, 2);
  EXPECT_EQ(v.get().header().tag, 2);
  EXPECT_EQ(middle.get().header().tag, 1);
  EXPECT_EQ(old.get().header().tag, 0);
}

TEST_F(Buffers, ABodyThatResizesItsInoutFails) {
  const auto resize = rt::task("resize").cpu([](rt::inout<Vec> v) {
    *v = Vec(Vec::Header{v->header().length * 2, 0});
  });
  rt::Value<Vec> v = rt::value(Vec(Vec::Header{8, 0}));
  resize(v);
  try {
    v.get();
    FAIL() << "a changed size must poison the version";
  } catch (const rt::TaskError& e) {
    EXPECT_NE(std::string(e.what()).find("return a new value to change a size"), std::string::npos)
        << e.what();
    EXPECT_THROW(std::rethrow_if_nested(e), rt::ShapeError);
  }
}

TEST_F(Buffers, TheSameBufferMayBeReadTwice) {
  const auto dot = rt::task("dot").cpu([](rt::in<Vec> a, rt::in<Vec> b) {
    return std::inner_product(a->values().begin(), a->values().end(), b->values().begin(), 0.0);
  });
  rt::Value<Vec> v = rt::value(Vec(std::vector<double>{1, 2, 3}));
  add_to(v, 1);
  EXPECT_EQ(dot(v, v).get(), 29);
}

TEST_F(Buffers, TaskWithMoreBuffersThanFitIntoATask) {
  using I = rt::in<Vec>;
  const auto wide = rt::task("wide").cpu(
      [](I a, I b, I c, I d, I e, I f, I g, I h, I i, I j, I k, I l, I m, I n, I o, I p, I q, I r,
         I s, I t, I u, I v, I w, I x, I y, I z, I aa, I bb, I cc, I dd, I ee, I ff, I gg, I hh) {
        double all = 0;
        for (const I& one : {a, b, c, d, e, f, g, h, i, j,  k,  l,  m,  n,  o,  p,  q,
                             r, s, t, u, v, w, x, y, z, aa, bb, cc, dd, ee, ff, gg, hh}) {
          all += one->values()[0];
        }
        return all;
      });
  std::vector<rt::Value<Vec>> x;
  for (int i = 0; i < 34; ++i) {
    x.push_back(rt::value(Vec(std::vector<double>{static_cast<double>(i)})));
    add_to(x.back(), 0);
  }
  const auto all = [&]<std::size_t... K>(std::index_sequence<K...>) { return wide(x[K]...); }
  (std::make_index_sequence<34>{});
  EXPECT_EQ(all.get(), 33 * 34 / 2);
}

TEST_F(Buffers, ReadersOfOneVersionAndItsSuccessorRunInAnyOrder) {
  rt::Value<Vec> v = rt::value(Vec(Vec::Header{16, 0}));
  std::vector<rt::Value<double>> sums;
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 5; ++i) sums.push_back(sum(v));
    add_to(v, 1);
    if (round % 7 == 0) sums.back().get();
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    EXPECT_EQ(sums[i].get(), 16.0 * static_cast<double>(i / 5));
}

}  // namespace
