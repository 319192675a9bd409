#pragma once
// The wire format of protocol buffers (https://protobuf.dev/programming-guides/encoding), the part
// that ONNX files are made of: fields of whole numbers, floats, bytes and nested messages.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace nn::onnx {

/// One message, field by field in any order; text() is its bytes.
class Message {
 public:
  Message& number(int field, std::int64_t value) {
    tag(field, 0);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& real(int field, float value) {
    tag(field, 5);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift & 255);
    return *this;
  }
  Message& bytes(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return bytes(field, value.bytes_); }

  [[nodiscard]] const std::string& text() const { return bytes_; }

 private:
  void tag(int field, int type) { varint(static_cast<std::uint64_t>(field) << 3 | unsigned(type)); }
  void varint(std::uint64_t value) {
    for (; value > 127; value >>= 7) bytes_ += static_cast<char>((value & 127) | 128);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace nn::onnx
