// Memory that the members of a gang on one host share: a ring buffer for each ordered pair of
// members, and a bell for each member.
//
// It is a memfd, which nobody finds by a name of the file system and which is gone with its last
// user. Another process opens it through /proc, which the kernel grants to the same user alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/file.h"

namespace rt::net::sums {

/// One direction between two members. Positions count bytes since the beginning and never wrap;
/// bytes lie at the position modulo the capacity.
struct RingEnds {
  alignas(64) std::atomic<std::uint64_t> written;
  alignas(64) std::atomic<std::uint64_t> taken;
};

/// What a member shows to the others.
struct Seat {
  static constexpr std::uint32_t kAbsent = 0, kHere = 1, kLeft = 2, kComing = 3;
  alignas(64) std::atomic<std::uint32_t> bell;  ///< a futex: rung by adding one
  std::atomic<std::uint32_t> asleep;            ///< not 0: waits for the bell
  std::atomic<std::uint32_t> state;
  std::atomic<std::int32_t> process;
};

/// A mapping of such memory. Thread-safe where it says nothing about use by one member alone.
class Segment {
 public:
  /// Makes one. `capacity` is the bytes of each ring, a power of two and 64 at least. Throws
  /// base::Error (storage) if the system has no memory for it, internal for other arguments.
  [[nodiscard]] static std::shared_ptr<Segment> make(int members, std::size_t capacity = 1 << 18);
  /// Opens one of another process on this host, or of this one. Throws base::Error (storage) if it
  /// is not there or is another one.
  [[nodiscard]] static std::shared_ptr<Segment> open(const std::string& address);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  /// For open(), while this process lives: one word.
  [[nodiscard]] const std::string& address() const noexcept { return address_; }
  [[nodiscard]] int members() const noexcept { return members_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] Seat& seat(int member) const noexcept;
  [[nodiscard]] RingEnds& ends(int from, int to) const noexcept;
  [[nodiscard]] std::byte* bytes(int from, int to) const noexcept;

 private:
  Segment(base::File file, std::string address, int members, std::size_t capacity);

  base::File file_;
  std::string address_;
  int members_;
  std::size_t capacity_;
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace rt::net::sums
