// What the store keeps: the head of an entry, and values in their canonical byte form.

#include <algorithm>
#include <map>
#include <variant>

#include "base/error.h"
#include "hpo/space/params.h"
#include "runtime/codec.h"
#include "runtime/store/entry.h"
#include "tests/fuzz/fuzz.h"

namespace {

using Nested = std::map<std::string, std::vector<std::variant<bool, double, std::string>>>;

template <class T>
void decode(std::span<const std::byte> bytes) {
  try {
    const T value = rt::decode<T>(bytes);
    const base::Bytes again = rt::encode(value);
    fuzz::promise(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()),
                  "a value has one byte form");
  } catch (const base::Error& error) {
    fuzz::promise(error.kind() == base::Errc::data, "a damaged value is an error of data");
    fuzz::promise_message(error.what());
  }
}

}  // namespace

void fuzz::feed(std::string_view input) {
  const auto bytes = std::as_bytes(std::span(input));
  if (const auto head = rt::store::unpack(bytes)) {
    const auto again = rt::store::pack(*head);
    promise(std::equal(again.begin(), again.end(), bytes.begin(),
                       bytes.begin() + rt::store::kHeadBytes),
            "a head has one form");
    (void)rt::store::payload(bytes, head->key);
  }
  decode<hpo::Params>(bytes);
  decode<Nested>(bytes);
  decode<std::vector<double>>(bytes);
}
