// One stream of a link: frames out in order, frames in, and the end of both.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "runtime/net/messages.h"

namespace rt::net::grpc_transport {

inline constexpr const char* kMethods[kChannels] = {"/trellis/control", "/trellis/bulk"};
inline constexpr const char* kLinkHeader = "trellis-link";  ///< the same on both streams of a link

// A message of gRPC is a bundle of frames, each behind its size in four bytes, the lowest first: a
// message costs more than a small frame does.
inline constexpr std::size_t kPrefix = 4;
inline constexpr std::size_t kBundle = 64 << 10;  ///< bytes that no second frame makes it exceed
inline constexpr std::size_t kMostMessage = kMostFrame + kPrefix;

/// Takes frames from the front, at least one.
[[nodiscard]] inline grpc::ByteBuffer make_bundle(std::deque<base::Bytes>& frames) {
  std::size_t size = 0;
  std::size_t count = 0;
  while (count < frames.size()) {
    const std::size_t next = size + kPrefix + frames[count].size();
    if (count > 0 && next > kBundle) break;
    size = next;
    ++count;
  }
  grpc_slice bytes = grpc_slice_malloc(size);
  unsigned char* to = GRPC_SLICE_START_PTR(bytes);
  for (; count > 0; --count, frames.pop_front()) {
    const base::Bytes& frame = frames.front();
    for (std::size_t i = 0; i < kPrefix; ++i)
      *to++ = static_cast<unsigned char>(frame.size() >> (8 * i));
    to = std::copy_n(reinterpret_cast<const unsigned char*>(frame.data()), frame.size(), to);
  }
  const grpc::Slice slice(bytes, grpc::Slice::STEAL_REF);
  return {&slice, 1};
}

/// Gives each frame of a bundle to `take`; what is no bundle is given as it is, and is no frame.
template <class Take>
void take_frames(const grpc::ByteBuffer& bundle, const Take& take) {
  grpc::Slice all;
  if (!bundle.DumpToSingleSlice(&all).ok()) return;
  const auto* at = reinterpret_cast<const std::byte*>(all.begin());
  std::size_t left = all.size();
  while (left > 0) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < std::min(kPrefix, left); ++i)
      size |= std::to_integer<std::size_t>(at[i]) << (8 * i);
    if (left < kPrefix || size > left - kPrefix) return take(base::Bytes(at, at + left));
    take(base::Bytes(at + kPrefix, at + kPrefix + size));
    at += kPrefix + size;
    left -= kPrefix + size;
  }
}

/// The frames that wait to be written. gRPC takes one message at a time. Any thread; a reactor
/// starts the writes that it is told to start.
class Outgoing {
 public:
  /// Adds a frame; true if a write is to be started now, of what bundle() returns.
  [[nodiscard]] bool add(base::Bytes frame) {
    const std::scoped_lock lock(mutex_);
    if (closing_) return false;
    frames_.push_back(std::move(frame));
    return !std::exchange(writing_, true);
  }
  /// What is to be written, until next() is called.
  [[nodiscard]] const grpc::ByteBuffer* bundle() {
    const std::scoped_lock lock(mutex_);
    message_ = make_bundle(frames_);
    return &message_;
  }
  /// A write has ended; true if another one is to be started.
  [[nodiscard]] bool next() {
    const std::scoped_lock lock(mutex_);
    writing_ = !frames_.empty();
    return writing_;
  }
  /// Takes no more; true if nothing is left to write, else finished() will be.
  [[nodiscard]] bool close() {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
    return !writing_;
  }
  /// Whether it is closing and everything was written.
  [[nodiscard]] bool finished() const {
    const std::scoped_lock lock(mutex_);
    return closing_ && !writing_;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<base::Bytes> frames_;
  grpc::ByteBuffer message_;  ///< is being written while `writing_`
  bool writing_ = false;
  bool closing_ = false;
};

}  // namespace rt::net::grpc_transport
