#pragma once
// The wire format of protocol buffers (https://protobuf.dev/programming-guides/encoding), the part
// that ONNX and event files are made of: whole numbers, floats, doubles, bytes, nested messages.

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace base {

/// One message, field by field in any order; text() is its bytes.
class ProtoMessage {
 public:
  ProtoMessage& number(int field, std::int64_t value) {
    tag(field, 0);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  ProtoMessage& real(int field, float value) {
    tag(field, 5);
    return fixed<std::uint32_t>(value);
  }
  ProtoMessage& real(int field, double value) {
    tag(field, 1);
    return fixed<std::uint64_t>(value);
  }
  ProtoMessage& bytes(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtoMessage& message(int field, const ProtoMessage& value) { return bytes(field, value.bytes_); }

  [[nodiscard]] const std::string& text() const { return bytes_; }

 private:
  void tag(int field, int type) { varint(static_cast<std::uint64_t>(field) << 3 | unsigned(type)); }
  void varint(std::uint64_t value) {
    for (; value > 127; value >>= 7) bytes_ += static_cast<char>((value & 127) | 128);
    bytes_ += static_cast<char>(value);
  }
  template <std::unsigned_integral Bits>
  ProtoMessage& fixed(std::floating_point auto value) {
    static_assert(sizeof(Bits) == sizeof value);
    Bits bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (std::size_t i = 0; i < sizeof bits; ++i)
      bytes_ += static_cast<char>(bits >> (8 * i) & 255);
    return *this;
  }

  std::string bytes_;
};

}  // namespace base
