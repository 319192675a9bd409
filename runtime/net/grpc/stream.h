// One stream of a link: frames out in order, frames in, and the end of both.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/byte_buffer.h>

#include <deque>
#include <mutex>
#include <utility>

#include "runtime/net/messages.h"

namespace rt::net::grpc_transport {

inline constexpr const char* kMethods[kChannels] = {"/trellis/control", "/trellis/bulk"};
inline constexpr const char* kLinkHeader = "trellis-link";  ///< the same on both streams of a link
inline constexpr const char* kDriverName = "trellis-driver";

[[nodiscard]] inline grpc::ByteBuffer buffer_of(const base::Bytes& bytes) {
  const grpc::Slice slice(bytes.data(), bytes.size());
  return {&slice, 1};
}

[[nodiscard]] inline base::Bytes bytes_of(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  base::Bytes bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    const auto* begin = reinterpret_cast<const std::byte*>(slice.begin());
    bytes.insert(bytes.end(), begin, begin + slice.size());
  }
  return bytes;
}

/// The frames that wait to be written. gRPC takes one at a time. Any thread; a reactor starts the
/// writes that it is told to start.
class Outgoing {
 public:
  /// Adds a frame; true if its write is to be started now, with what front() returns.
  [[nodiscard]] bool add(const base::Bytes& frame) {
    const std::scoped_lock lock(mutex_);
    if (closing_) return false;
    frames_.push_back(buffer_of(frame));
    return !std::exchange(writing_, true);
  }
  /// A write has ended; true if another one is to be started.
  [[nodiscard]] bool next() {
    const std::scoped_lock lock(mutex_);
    frames_.pop_front();
    writing_ = !frames_.empty();
    return writing_;
  }
  /// Takes no more; true if nothing is left to write, else finished() will be.
  [[nodiscard]] bool close() {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
    return frames_.empty();
  }
  /// Whether it is closing and everything was written.
  [[nodiscard]] bool finished() const {
    const std::scoped_lock lock(mutex_);
    return closing_ && frames_.empty();
  }
  [[nodiscard]] const grpc::ByteBuffer* front() const {
    const std::scoped_lock lock(mutex_);
    return &frames_.front();
  }

 private:
  mutable std::mutex mutex_;
  std::deque<grpc::ByteBuffer> frames_;  ///< the first one is being written while `writing_`
  bool writing_ = false;
  bool closing_ = false;
};

}  // namespace rt::net::grpc_transport
