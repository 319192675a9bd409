#include "hpo/wandb/run_record.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace hpo::wandb {

namespace {

// Numbers of fields.
enum RecordField : std::uint64_t { kHistory = 2, kSummary = 3 };
constexpr std::uint64_t kItem = 1;  ///< of a history; of a summary: `update`
enum ItemField : std::uint64_t {
  kKey = 1,
  kNestedKey = 2,
  kBoolean = 4,
  kInteger = 5,
  kNumber = 6,
  kText = 7,
  kJson = 8,
  kValueJson = 16
};

[[noreturn]] void refuse() {
  throw base::Error(base::Errc::data, "has a record that is no message of wandb");
}

/// A field of a message: `bytes` of what has a length, else `number`, a double as its bits.
struct WireField {
  std::uint64_t name = 0;
  std::uint64_t number = 0;
  std::string_view bytes;
};

/// Reads a message field by field.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  /// False at the end.
  bool next(WireField& field) {
    if (rest_.empty()) return false;
    const std::uint64_t tag = varint();
    field = {.name = tag >> 3};
    switch (tag & 7) {
      case 0:
        field.number = varint();
        return true;
      case 1:
        field.number = fixed(8);
        return true;
      case 2:
        field.bytes = take(varint());
        return true;
      case 5:
        field.number = fixed(4);
        return true;
      default:
        refuse();
    }
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) refuse();
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::uint64_t varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      number |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return number;
    }
    refuse();
  }
  std::uint64_t fixed(std::size_t size) {
    const std::string_view bytes = take(size);
    std::uint64_t number = 0;
    for (std::size_t i = size; i > 0; --i)
      number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
    return number;
  }

  std::string_view rest_;
};

/// Of its zigzag form, in which small negative numbers are short.
std::int64_t signed_number(std::uint64_t zigzag) {
  return static_cast<std::int64_t>(zigzag >> 1 ^ (0 - (zigzag & 1)));
}

/// As Python writes it.
std::string json_of_number(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  return base::format_double(number);
}

std::pair<std::string, std::string> item_of(std::string_view message) {
  std::string key, nested, value;
  WireField field;
  for (Fields fields(message); fields.next(field);) {
    if (field.name == kKey) key = field.bytes;
    if (field.name == kNestedKey) nested += base::cat(nested.empty() ? "" : ".", field.bytes);
    if (field.name == kBoolean) value = field.number != 0 ? "true" : "false";
    if (field.name == kInteger) value = base::cat(signed_number(field.number));
    if (field.name == kNumber) value = json_of_number(std::bit_cast<double>(field.number));
    if (field.name == kText) value = base::quote_json(field.bytes);
    if (field.name == kJson || field.name == kValueJson) value = field.bytes;
  }
  return {nested.empty() ? key : nested, value};
}

}  // namespace

RunRecord read_run_record(std::string_view bytes) {
  RunRecord record;
  WireField field, item;
  for (Fields fields(bytes); fields.next(field);) {
    if (field.name != kHistory && field.name != kSummary) continue;
    record.kind = field.name == kHistory ? RunRecord::Kind::history : RunRecord::Kind::summary;
    for (Fields items(field.bytes); items.next(item);) {
      if (item.name == kItem) record.values.push_back(item_of(item.bytes));
    }
  }
  return record;
}

}  // namespace hpo::wandb
