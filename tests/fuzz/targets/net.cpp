// What comes over the network: frames, and the pieces of contents in them.

#include <algorithm>
#include <variant>

#include "base/error.h"
#include "runtime/net/incoming.h"
#include "runtime/net/messages.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  try {
    rt::net::Frame frame = rt::net::decode_frame(std::as_bytes(std::span(input)));
    const base::Bytes again = rt::net::encode_frame(frame);
    promise(std::ranges::equal(again, std::as_bytes(std::span(input))), "a frame has one form");
    if (auto* const piece = std::get_if<rt::net::Give>(&frame.message)) {
      rt::net::Incoming incoming;
      (void)incoming.begin(piece->key);
      const rt::net::Incoming::Step step = incoming.take(std::move(*piece));
      promise(!(step.wrong && step.whole), "a wrong piece completes nothing");
    }
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::data, "bytes that are no frame are an error of data");
    promise_message(error.what());
  }
}
