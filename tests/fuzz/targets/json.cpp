// JSON, strict and as other programs write it.

#include "base/json.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "tests/fuzz/fuzz.h"

namespace {

using base::Json;

void read_as_everything(const Json& json) {
  const auto attempt = [&](const auto& read) {
    try {
      read();
    } catch (const base::Error& error) {
      fuzz::promise_message(error.what());
    }
  };
  attempt([&] { (void)json.number(); });
  attempt([&] { (void)json.integer(); });
  attempt([&] { (void)json.at("key"); });
  fuzz::promise(json.is_number() == json.as_number().has_value(), "a number has a value");
  fuzz::promise(!json.as_integer() || json.is_number(), "an integer is a number");
  fuzz::promise(!json.as_unsigned() || json.is_number(), "an unsigned integer is a number");
  if (const auto text = json.as_text(); text && base::is_utf8(*text)) {
    for (const auto style : {base::JsonStyle::spaced, base::JsonStyle::compact}) {
      base::JsonWriter writer(style);
      const std::string again = std::move(writer.value(*text)).text();
      fuzz::promise(Json::parse(again).text() == *text, "a text reads back");
    }
  }
  (void)json.find("key");
  (void)json.repeated_name();
  for (const auto& [name, value] : json.members()) read_as_everything(value);
}

void read(std::string_view input, const base::JsonRules& rules) {
  try {
    read_as_everything(Json::parse(input, rules));
  } catch (const base::JsonError& error) {
    fuzz::promise(error.kind() == rules.kind, "the error has the kind that was asked for");
    fuzz::promise_message(error.what());
  }
}

}  // namespace

void fuzz::feed(std::string_view input) {
  read(input, {});
  read(input, {.kind = base::Errc::data, .depth = 3, .utf8 = true});
  read(input, {.non_finite = true});
}
