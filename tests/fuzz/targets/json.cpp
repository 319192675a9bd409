// The JSON of the log.

#include "hpo/log/json.h"
#include "base/error.h"
#include "tests/fuzz/fuzz.h"

namespace {

void read_as_everything(const hpo::Json& json) {
  const auto attempt = [&](const auto& read) {
    try {
      read();
    } catch (const base::Error& error) {
      fuzz::promise_message(error.what());
    }
  };
  attempt([&] { (void)json.number(); });
  attempt([&] { (void)json.integer(); });
  attempt([&] {
    const std::string text = json.text();
    hpo::JsonWriter writer;
    writer.value(text);
    const std::string again = std::move(writer).text();
    (void)hpo::Json::parse(again).text();
  });
  (void)json.find("key");
  for (const auto& [name, value] : json.members()) read_as_everything(value);
}

}  // namespace

void fuzz::feed(std::string_view input) {
  try {
    read_as_everything(hpo::Json::parse(input));
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::storage, "damaged JSON is an error of storage");
    promise_message(error.what());
  }
}
