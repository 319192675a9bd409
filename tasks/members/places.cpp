#include "tasks/members/places.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.h"
#include "base/new_file.h"
#include "runtime/codec.h"
#include "runtime/net/sums/ring_links.h"

namespace tasks {

namespace {

using namespace rt::net::sums;

/// How long members may take until they have links to each other.
constexpr base::Duration kMeeting = std::chrono::seconds(20);
/// How long a wait may last before it is seen that the members change.
constexpr base::Duration kGlance = std::chrono::milliseconds(20);

/// Links on which nobody waits once their epoch is halted.
class HaltableLinks final : public Links {
 public:
  HaltableLinks(std::unique_ptr<Links> links, const Halted& halted, std::uint64_t epoch)
      : links_(std::move(links)), halted_(halted), epoch_(epoch) {}

  [[nodiscard]] int members() const noexcept override { return links_->members(); }
  [[nodiscard]] int own() const noexcept override { return links_->own(); }
  std::size_t send(int peer, std::span<const std::byte> head,
                   std::span<const std::byte> body) override {
    return links_->send(peer, head, body);
  }
  bool flush(int peer) override { return links_->flush(peer); }
  std::span<const std::byte> incoming(int peer) override { return links_->incoming(peer); }
  void take(int peer, std::size_t bytes) override { links_->take(peer, bytes); }
  void wait(std::span<const int> from, std::span<const int> to, base::Duration most) override {
    if (halted_ >= epoch_) throw LinkLost(from.empty() ? to.front() : from.front(), "all stop");
    links_->wait(from, to, std::min(most, kGlance));
  }

 private:
  std::unique_ptr<Links> links_;
  const Halted& halted_;
  std::uint64_t epoch_;
};

std::unique_ptr<Links> meet(rt::net::MemberDoor& door, rt::net::Meeting meeting,
                            const Halted& halted) {
  const std::uint64_t epoch = meeting.epoch;
  meeting.given_up = [&halted, epoch] { return halted >= epoch; };
  return std::make_unique<HaltableLinks>(door.meet(meeting, kMeeting), halted, epoch);
}

}  // namespace

base::File file_of(std::span<const std::byte> bytes) {
  base::File file(::memfd_create("trellis-gang", MFD_CLOEXEC));
  if (!file) throw base::storage_error("make", "memory for a gang", errno);
  if (const int code = base::write_all(file.fd(), bytes); code != 0)
    throw base::storage_error("fill", "memory for a gang", code);
  return file;
}

void read_whole(const base::File& file, std::span<std::byte> into) {
  const base::ReadResult read = base::read_into(file.fd(), into, 0);
  if (read.bytes != into.size()) throw base::storage_error("read", "memory of a gang", read.code);
}

base::Bytes bytes_of(const base::File& file) {
  const off_t size = ::lseek(file.fd(), 0, SEEK_END);
  if (size < 0) throw base::storage_error("read", "memory of a gang", errno);
  base::Bytes bytes(static_cast<std::size_t>(size));
  read_whole(file, bytes);
  return bytes;
}

std::vector<int> SharedPlace::open(Order& order, std::vector<std::string> /*addresses*/) {
  segment_ = Segment::make(static_cast<int>(order.members));
  const std::string& address = segment_->address();
  if (address.size() >= kAddress)
    throw base::Error(base::Errc::internal, "the address of shared memory is too long");
  std::ranges::copy(address, order.address.begin());
  return {};
}

std::unique_ptr<Links> SharedPlace::enter() { return std::make_unique<RingLinks>(segment_, 0); }

void SharedPlace::lose(int member) noexcept { vacate(*segment_, member); }

std::unique_ptr<Links> enter_shared(const Channel::Received& order) {
  return std::make_unique<RingLinks>(Segment::open(order.order.address.data()),
                                     static_cast<int>(order.order.own));
}

std::vector<int> TlsPlace::open(Order& order, std::vector<std::string> addresses) {
  addresses.insert(addresses.begin(), door_->address());
  addresses_ = file_of(rt::encode(addresses));
  meeting_ = {.gang = order.training,
              .epoch = order.epoch,
              .own = 0,
              .addresses = std::move(addresses),
              .given_up = {}};
  epoch_ = order.epoch;
  return {addresses_.fd()};
}

std::unique_ptr<Links> TlsPlace::enter() { return meet(*door_, meeting_, halted_); }

void TlsPlace::lose(int /*member*/) noexcept { halted_ = epoch_.load(); }

std::unique_ptr<Links> enter_over_tls(rt::net::MemberDoor& door, const Halted& halted,
                                      const Channel::Received& order) {
  return meet(door,
              {.gang = order.order.training,
               .epoch = order.order.epoch,
               .own = static_cast<int>(order.order.own),
               .addresses = rt::decode<std::vector<std::string>>(bytes_of(order.files.at(0))),
               .given_up = {}},
              halted);
}

}  // namespace tasks
