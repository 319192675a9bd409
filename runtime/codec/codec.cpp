#include "runtime/codec.h"

#include "base/text.h"

namespace rt::inline v0 {

void Reader::fail(const char* what) const {
  throw base::Error(base::Errc::data, base::cat("malformed bytes: at ", at_, " of ", bytes_.size(),
                                                " expected ", what));
}

void Reader::get_raw(void* data, std::size_t size) {
  if (size > left()) fail("more bytes: they end too early");
  if (size > 0) std::memcpy(data, bytes_.data() + at_, size);
  at_ += size;
}

std::size_t Reader::get_count(std::size_t least) {
  std::uint64_t n = 0;
  get(n);
  if (n > left() / least) fail("a count that the remaining bytes can hold");
  return static_cast<std::size_t>(n);
}

std::uint8_t Reader::get_byte(unsigned limit, const char* what) {
  std::uint8_t byte = 0;
  get_raw(&byte, 1);
  if (byte >= limit) fail(what);
  return byte;
}

void Reader::expect_end() const {
  if (left() != 0) fail("the end");
}

}  // namespace rt::inline v0
