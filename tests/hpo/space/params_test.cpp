#include "hpo/space/params.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "runtime/codec.h"

namespace hpo {
namespace {

Params sample() {
  return {{"lr", 0.01},
          {"width", std::int64_t{16}},
          {"optimizer", std::string("adam")},
          {"nesterov", true}};
}

TEST(Params, KeepTheirOrderAndReplaceInPlace) {
  Params params = sample();
  params.set("width", std::int64_t{32});
  params.set("batch", std::int64_t{8});
  EXPECT_EQ(text_of(params), "lr=0.01 width=32 optimizer=adam nesterov=true batch=8");
  EXPECT_EQ(params.find("momentum"), nullptr);
  EXPECT_EQ(*params.find("lr"), ParamValue(0.01));
}

TEST(Params, EqualityLooksAtNamesValuesAndOrder) {
  EXPECT_EQ(sample(), sample());
  EXPECT_NE((Params{{"a", 1.0}, {"b", 2.0}}), (Params{{"b", 2.0}, {"a", 1.0}}));
  EXPECT_NE((Params{{"a", 1.0}}), (Params{{"a", std::int64_t{1}}}));
}

TEST(Params, JsonKeepsOrderAndTypes) {
  const std::string json = json_of(sample());
  EXPECT_EQ(json, R"({"lr": 0.01, "width": 16, "optimizer": "adam", "nesterov": true})");
  EXPECT_EQ(params_from_json(json), sample());
  const Params whole{{"x", 1.0}, {"y", 1e20}, {"z", std::string("1.0")}};
  EXPECT_EQ(params_from_json(json_of(whole)), whole);
  EXPECT_EQ(params_from_json("{}"), Params{});
}

TEST(Params, BrokenJsonIsAStorageError) {
  for (const char* text :
       {"", "[]", "{\"a\": null}", "{\"a\": [1]}", "{\"a\": 18446744073709551615}", "{\"a\": 1"}) {
    try {
      (void)params_from_json(text);
      ADD_FAILURE() << text;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::Errc::storage);
    }
  }
}

TEST(Params, HaveACanonicalByteForm) {
  const auto bytes = rt::encode(sample());
  EXPECT_EQ(rt::decode<Params>(bytes), sample());
  EXPECT_NE(bytes, rt::encode(Params{{"lr", 0.02}}));
}

}  // namespace
}  // namespace hpo
