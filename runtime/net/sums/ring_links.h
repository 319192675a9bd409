// Links over a shared segment: between processes of one host, and between threads of one process.
#pragma once

#include <memory>
#include <vector>

#include "base/file.h"
#include "runtime/net/sums/links.h"
#include "runtime/net/sums/segment.h"

namespace rt::net::sums {

/// Takes the seat of a member away whose process has ended, as if it had left. Thread-safe.
void vacate(Segment& segment, int member) noexcept;

class RingLinks final : public Links {
 public:
  /// Takes a member's seat. Throws base::Error (internal) if it is taken or there is none, LinkLost
  /// if it was taken away.
  RingLinks(std::shared_ptr<Segment> segment, int own);
  /// Leaves the seat: what was sent can still be taken.
  ~RingLinks() override;
  RingLinks(const RingLinks&) = delete;
  RingLinks& operator=(const RingLinks&) = delete;

  [[nodiscard]] int members() const noexcept override { return segment_->members(); }
  [[nodiscard]] int own() const noexcept override { return own_; }
  std::size_t send(int peer, std::span<const std::byte> head,
                   std::span<const std::byte> body) override;
  bool flush(int) override { return true; }
  std::span<const std::byte> incoming(int peer) override;
  void take(int peer, std::size_t bytes) override;
  void wait(std::span<const int> from, std::span<const int> to, base::Duration most) override;

 private:
  [[nodiscard]] std::size_t room(int peer) const;
  std::size_t write(int peer, std::span<const std::byte> bytes);
  [[nodiscard]] bool is_ready(std::span<const int> from, std::span<const int> to) const;
  void ring(int peer) const;
  /// Throws LinkLost if the peer is not there any more.
  void check(int peer);
  [[nodiscard]] bool is_dead(int peer);

  std::shared_ptr<Segment> segment_;
  int own_;
  bool spins_;                         ///< true if each member can have a core
  std::vector<base::File> processes_;  ///< of the peers, by descriptors that tell their end
};

}  // namespace rt::net::sums
