// Messages between the first process of a gang and members on other hosts, one after another: a
// byte with the length of each.
#include "base/bytes.h"
#include "base/error.h"
#include "runtime/codec.h"
#include "tasks/members/wire.h"
#include "tests/fuzz/fuzz.h"

namespace {

namespace wire = tasks::wire;

template <class F>
void whether_refused(F act) {
  try {
    act();
  } catch (const base::Error& error) {
    fuzz::promise(error.kind() == base::Errc::data, "a bad message is an error of the data");
    fuzz::promise_message(error.what());
  }
}

}  // namespace

void fuzz::feed(std::string_view input) {
  wire::Receiving receiving;
  while (!input.empty()) {
    const auto length = static_cast<unsigned char>(input.front());
    const auto frame = base::as_bytes(input.substr(1, length));
    input.remove_prefix(std::min(input.size(), std::size_t{1} + length));
    whether_refused([&] {
      const auto message = rt::decode<wire::FromMember>(frame);
      promise(rt::encode(message) == base::Bytes(frame.begin(), frame.end()), "it has one form");
      if (const auto* const sent = std::get_if<wire::NoticeSent>(&message))
        promise(wire::notice_of(*sent).address.back() == '\0', "an address ends");
    });
    whether_refused([&] {
      const auto message = rt::decode<wire::FromFirst>(frame);
      if (const auto* const order = std::get_if<wire::OrderSent>(&message)) receiving.take(*order);
      if (const auto* const piece = std::get_if<wire::Piece>(&message)) receiving.take(*piece);
      if (const auto whole = receiving.whole())
        promise(whole->files.size() <= tasks::kOrderFiles, "it has no more files than that");
    });
  }
}
