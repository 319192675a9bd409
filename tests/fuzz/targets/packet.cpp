// What comes to the ports of an aggregation: a packet, to the switch and to a worker.

#include <algorithm>
#include <array>
#include <vector>

#include "runtime/net/aggregator/switch.h"
#include "runtime/net/aggregator/worker.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace rt::net::aggregator;

struct Counted final : Wire {
  int packets = 0;
  void send(const Packet&) override { ++packets; }
};

}  // namespace

void fuzz::feed(std::string_view input) {
  const auto bytes = std::as_bytes(std::span(input));
  const auto packet = decode(bytes);
  if (!packet) return;
  std::array<std::byte, kMostPacketBytes> again{};
  const std::size_t size = encode(*packet, again);
  promise(std::ranges::equal(std::span(again).first(size), bytes), "a packet has one form");

  Switch of_two(1, 2, 4);
  promise(of_two.receive(*packet).to == Switch::To::nobody, "one term is no sum of two");
  promise(of_two.receive(*packet).to == Switch::To::nobody, "a term counts once");
  promise(of_two.repeated() + of_two.dropped() > 0, "the second one was seen to be a second one");

  const Layout layout({{"a", 300}, {"b", 7}});
  const std::vector<float> values(layout.floats(), 1.0f);
  Counted wire;
  Worker worker({1, 0, 2, 4}, {}, wire);
  worker.begin(layout, values, {});
  const int before = wire.packets;
  worker.receive(*packet, {});
  worker.receive(*packet, {});
  promise(wire.packets <= before + 1, "a sum moves its slot on once");
  promise(!worker.done(), "exponents alone are no sums");
}
