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

using rt::net::sums::Links;
using rt::net::sums::RingLinks;
using rt::net::sums::Segment;

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

void SharedPlace::left(int member) noexcept { vacate(*segment_, member); }

std::unique_ptr<Links> enter_shared(const Channel::Received& order) {
  return std::make_unique<RingLinks>(Segment::open(order.order.address.data()),
                                     static_cast<int>(order.order.own));
}

namespace {

/// A member that does not come within this time is as silent as one that is taken for dead.
constexpr base::Duration kMeeting = std::chrono::milliseconds(2500);

}  // namespace

std::vector<int> DoorsPlace::open(Order& order, std::vector<std::string> addresses) {
  addresses.insert(addresses.begin(), door_->address());
  meeting_ = {.gang = gang_, .epoch = order.epoch, .own = 0, .addresses = std::move(addresses)};
  file_ = file_of(rt::encode(meeting_));
  return {file_.fd()};
}

std::unique_ptr<Links> DoorsPlace::enter() { return door_->meet(meeting_, kMeeting); }

Enter enter_by(rt::net::MemberDoor& door) {
  return [&door](const Channel::Received& received) {
    auto meeting = rt::decode<rt::net::Meeting>(bytes_of(received.files.at(0)));
    meeting.own = static_cast<int>(received.order.own);
    return door.meet(meeting, kMeeting);
  };
}

}  // namespace tasks
