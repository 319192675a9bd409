#include "nn/fields.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "nn/model/spec.h"
#include "nn/training/hyper.h"

namespace {

const nn::KindInfo kInfo{
    .kind = "thing",
    .doc = "",
    .fields = {{.name = "size", .type = nn::FieldType::integer, .min = 1, .max = 9},
               {.name = "rate",
                .type = nn::FieldType::real,
                .min = 0,
                .max = 1,
                .value = 0.5,
                .max_excluded = true},
               {.name = "mode",
                .type = nn::FieldType::integer_or_word,
                .min = 0,
                .choices = {"valid", "same"},
                .value = "valid"},
               {.name = "on", .type = nn::FieldType::boolean, .value = true}}};

std::string message(const nn::Fields& fields) {
  try {
    (void)nn::complete(kInfo, fields, "here", 4);
  } catch (const nn::SpecError& e) {
    EXPECT_EQ(e.layer(), 4);
    return e.field() + ": " + e.what();
  }
  return "no error";
}

TEST(Fields, CompleteFillsDefaultsAndWidensIntegers) {
  const nn::Fields out =
      nn::complete(kInfo, {{"size", std::int64_t{3}}, {"rate", std::int64_t{0}}}, "here");
  EXPECT_EQ(out.size(), 4U);
  EXPECT_EQ(nn::integer(out, "size"), 3);
  EXPECT_EQ(nn::real(out, "rate"), 0.0);
  EXPECT_EQ(nn::word(out, "mode"), "valid");
  EXPECT_TRUE(nn::boolean(out, "on"));
  EXPECT_EQ(nn::complete(kInfo, out, "here"), out);
}

TEST(Fields, AskingForWhatIsNotThereIsOurOwnMistake) {
  const auto kind_of = [](const auto& ask) -> std::optional<base::Errc> {
    try {
      ask(nn::Fields{{"size", std::int64_t{3}}});
    } catch (const base::Error& error) {
      return error.kind();
    }
    return std::nullopt;
  };
  EXPECT_EQ(kind_of([](const auto& fields) { (void)nn::real(fields, "size"); }),
            base::Errc::internal);
  EXPECT_EQ(kind_of([](const auto& fields) { (void)nn::integer(fields, "sizes"); }),
            base::Errc::internal);
  EXPECT_EQ(kind_of([](const auto& fields) { (void)nn::complete(kInfo, fields, "here"); }),
            std::nullopt);
  EXPECT_EQ(kind_of([](const auto&) { (void)nn::complete(kInfo, {}, "here"); }), base::Errc::study);
}

TEST(Fields, MessagesSayWhatWasExpected) {
  const nn::FieldValue one = std::int64_t{1};
  EXPECT_EQ(message({}), "size: here: size is missing: an integer at least 1 and at most 9");
  EXPECT_EQ(message({{"size", 0.5}}),
            "size: here: size must be an integer at least 1 and at most 9, not 0.5");
  EXPECT_EQ(message({{"size", one}, {"rate", 1.0}}),
            "rate: here: rate must be a number at least 0 and smaller than 1, not 1");
  EXPECT_EQ(message({{"size", one}, {"mode", "sam"}}),
            "mode: here: mode must be valid or same, or an integer at least 0, not sam; did you "
            "mean same?");
  EXPECT_EQ(message({{"size", one}, {"on", one}}), "on: here: on must be true or false, not 1");
  EXPECT_EQ(message({{"siez", one}}), "siez: here: thing has no field siez; did you mean size?");
  EXPECT_EQ(message({{"colour", one}}),
            "colour: here: thing has no field colour; known: size, rate, mode or on");
}

TEST(Fields, NumbersThatAreNoNumbersAreRefused) {
  const nn::FieldInfo* rate = kInfo.field("rate");
  ASSERT_NE(rate, nullptr);
  EXPECT_NE(nn::field_problem(*rate, std::nan("")), "");
  nn::FieldInfo open = *rate;
  open.max = std::numeric_limits<double>::infinity();
  EXPECT_NE(nn::field_problem(open, std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(nn::field_problem(open, 1e300), "");
}

void check_table(std::span<const nn::KindInfo> kinds) {
  ASSERT_FALSE(kinds.empty());
  for (const auto& kind : kinds) {
    EXPECT_FALSE(kind.doc.empty()) << kind.kind;
    for (const auto& field : kind.fields) {
      EXPECT_FALSE(field.doc.empty()) << kind.kind << "." << field.name;
      if (field.value) {
        EXPECT_EQ(nn::field_problem(field, *field.value), "") << field.name;
      }
      const bool words = field.type == nn::FieldType::word ||
                         field.type == nn::FieldType::integer_or_word ||
                         field.type == nn::FieldType::number_by_name;
      EXPECT_EQ(words, !field.choices.empty()) << field.name;
    }
  }
}

TEST(Fields, EveryRegisteredKindIsDocumentedAndItsDefaultsAreAllowed) {
  check_table(nn::layer_kinds());
  check_table(nn::loss_kinds());
  check_table(nn::optimizer_kinds());
}

TEST(Fields, UnknownKindsNameTheNearest) {
  const auto text = [](auto call) -> std::string {
    try {
      call();
    } catch (const nn::SpecError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(text([] { (void)nn::layer_kind("dens"); }), "unknown layer dens; did you mean dense?");
  EXPECT_EQ(text([] { (void)nn::optimizer_kind("adm"); }),
            "unknown optimizer adm; did you mean adam?");
  EXPECT_EQ(text([] { (void)nn::loss_kind("hinge"); }),
            "unknown loss hinge; known: cross_entropy, bce, mse, mae, huber");
}

}  // namespace
