#pragma once
// Where the members of an epoch meet: in memory that they share, or at their doors.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "runtime/net/sums/links.h"
#include "runtime/net/sums/segment.h"
#include "runtime/net/transport.h"
#include "tasks/members/channel.h"

namespace tasks {

/// The first process's side. Not thread-safe, except for left() and lost().
class Place {
 public:
  virtual ~Place() = default;
  /// Makes a place for the members of an order, and writes into it how they find it. Returns what
  /// goes along with the order; it stays until the next call. `addresses`: those that the members
  /// from 1 on have said.
  [[nodiscard]] virtual std::vector<int> open(Order& order, std::vector<std::string> addresses) = 0;
  /// Returns the links of the first process in it. May wait for the others; throws
  /// rt::net::sums::LinkLost if one is lost.
  [[nodiscard]] virtual std::unique_ptr<rt::net::sums::Links> enter() = 0;
  /// A member has left its links, which it says after it has done so.
  virtual void left(int member) noexcept = 0;
  /// A member is lost and may still hold its links. Those of the others that wait for it end.
  virtual void lost(int member) noexcept = 0;
};

/// How another process enters the place of an order. Throws rt::net::sums::LinkLost.
using Enter = std::function<std::unique_ptr<rt::net::sums::Links>(const Channel::Received&)>;

/// For processes of one host.
class SharedPlace final : public Place {
 public:
  [[nodiscard]] std::vector<int> open(Order& order, std::vector<std::string> addresses) override;
  [[nodiscard]] std::unique_ptr<rt::net::sums::Links> enter() override;
  void left(int member) noexcept override;
  void lost(int member) noexcept override { left(member); }

 private:
  std::shared_ptr<rt::net::sums::Segment> segment_;
};
[[nodiscard]] std::unique_ptr<rt::net::sums::Links> enter_shared(const Channel::Received& order);

/// For processes of several hosts: each of them has a door, and the addresses of all doors go along
/// with an order.
class DoorsPlace final : public Place {
 public:
  /// `gang`: no other gang has that number.
  DoorsPlace(std::unique_ptr<rt::net::MemberDoor> door, std::uint64_t gang)
      : door_(std::move(door)), gang_(gang) {}

  [[nodiscard]] std::vector<int> open(Order& order, std::vector<std::string> addresses) override;
  [[nodiscard]] std::unique_ptr<rt::net::sums::Links> enter() override;
  void left(int) noexcept override {}  // it has closed its sockets
  void lost(int) noexcept override { door_->cut(); }

 private:
  std::unique_ptr<rt::net::MemberDoor> door_;
  std::uint64_t gang_;
  rt::net::Meeting meeting_;
  base::File file_;
};
/// The other side, with a door that outlives it.
[[nodiscard]] Enter enter_by(rt::net::MemberDoor& door);

/// A file without a name that holds `bytes`, and what such a file holds. Throw base::Error
/// (storage).
[[nodiscard]] base::File file_of(std::span<const std::byte> bytes);
[[nodiscard]] base::Bytes bytes_of(const base::File& file);
void read_whole(const base::File& file, std::span<std::byte> into);

}  // namespace tasks
