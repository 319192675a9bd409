#include "tasks/members/bridge.h"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/new_file.h"

namespace tasks {

namespace {

using rt::net::sums::LinkLost;
using rt::net::sums::Links;

constexpr std::chrono::milliseconds kBridgeLook(200);

/// An order as it goes over a link; the bytes of the files follow.
struct OrderFrame {
  Order order;
  std::uint64_t files = 0;
  std::array<std::uint64_t, kOrderFiles> sizes{};
  std::uint64_t known = 0;  ///< not 0: the last file is the one of the training before
};
static_assert(sizeof(OrderFrame) % rt::net::sums::kElement == 0);
static_assert(sizeof(Notice) % rt::net::sums::kElement == 0);

class Bridge {
 public:
  Bridge(base::File end, Links& link)
      : channel_(std::move(end)), link_(link), peer_(1 - link.own()) {}

 protected:
  /// Waits until something has come from one of both sides.
  void wait() {
    std::array<pollfd, 2> watched{pollfd{channel_.fd(), POLLIN, 0},
                                  pollfd{link_.descriptor(peer_), POLLIN, 0}};
    (void)::poll(watched.data(), watched.size(), static_cast<int>(kBridgeLook.count()));
    channel_speaks_ = watched[0].revents != 0;
    const std::array peers{peer_};
    if (watched[1].revents == 0 && !channel_speaks_) link_.wait(peers, {}, base::Duration(1));
  }

  void send(std::span<const std::byte> bytes) {
    const std::array peers{peer_};
    while (!bytes.empty()) {
      const std::size_t sent = link_.send(peer_, {}, bytes);
      bytes = bytes.subspan(sent);
      if (sent == 0) link_.wait({}, peers, kBridgeLook);
    }
    while (!link_.flush(peer_)) link_.wait({}, peers, kBridgeLook);
  }

  /// Takes bytes that have come; up to all of `into`. Returns how many.
  std::size_t take(std::span<std::byte> into) {
    const std::span<const std::byte> come = link_.incoming(peer_);
    const std::size_t count = std::min(come.size(), into.size());
    std::copy_n(come.begin(), count, into.begin());
    if (count > 0) link_.take(peer_, count);
    return count;
  }

  Channel channel_;
  Links& link_;
  const int peer_;
  bool channel_speaks_ = false;
};

/// The padding up to whole elements, which links want.
constexpr std::size_t padded(std::size_t bytes) {
  constexpr std::size_t kPart = rt::net::sums::kElement;
  return (bytes + kPart - 1) / kPart * kPart;
}

class OrderBridge : Bridge {
 public:
  using Bridge::Bridge;

  void run() {
    while (true) {
      wait();
      while (const std::size_t more =
                 take(std::as_writable_bytes(std::span(&notice_, 1)).subspan(have_)))
        if ((have_ += more) == sizeof notice_) {
          have_ = 0;
          if (!channel_.send(notice_)) return;
        }
      if (!channel_speaks_) continue;
      const std::optional<Channel::Received> order = channel_.next_order();
      if (!order) return;
      send_order(*order);
    }
  }

 private:
  void send_order(const Channel::Received& what) {
    OrderFrame frame{.order = what.order};
    frame.files = what.files.size();
    if (what.order.kind == Order::Kind::train) {
      frame.known = sent_data_ == what.order.data_number ? 1 : 0;
      sent_data_ = what.order.data_number;
    }
    std::vector<base::Bytes> contents;
    for (std::size_t i = 0; i < frame.files - frame.known; ++i) {
      base::Bytes& content = contents.emplace_back(bytes_of(what.files[i]));
      frame.sizes[i] = content.size();
      content.resize(padded(content.size()));
    }
    send(std::as_bytes(std::span(&frame, 1)));
    for (const base::Bytes& content : contents) send(content);
  }

  Notice notice_;
  std::size_t have_ = 0;
  std::optional<std::uint32_t> sent_data_;
};

class NoticeBridge : Bridge {
 public:
  NoticeBridge(base::File end, Links& link, Halted& halted)
      : Bridge(std::move(end), link), halted_(halted) {}

  void run() {
    while (true) {
      wait();
      while (!gone_ && take_some()) continue;
      if (gone_) return;
      if (!channel_speaks_) continue;
      Notice notice;
      switch (channel_.take(notice)) {
        case Channel::Got::notice:
          send(std::as_bytes(std::span(&notice, 1)));
          break;
        case Channel::Got::end:
          return;
        case Channel::Got::nothing:
          break;
      }
    }
  }

 private:
  /// Takes a part of the order that is coming. Returns false if nothing has come.
  bool take_some() {
    if (have_ < sizeof frame_) {
      const std::size_t more = take(std::as_writable_bytes(std::span(&frame_, 1)).subspan(have_));
      have_ += more;
      if (more == 0 || have_ < sizeof frame_) return more > 0;
      if (frame_.files > kOrderFiles || frame_.known > frame_.files)
        throw LinkLost(peer_, "what it sends is no order");
      if (frame_.order.kind == Order::Kind::halt) halted_ = frame_.order.epoch;
      files_.clear();
      return finish_file(), true;
    }
    std::array<std::byte, 1 << 16> part{};
    const std::size_t left = padded(frame_.sizes[files_.size()]) - file_have_;
    const std::size_t more = take(std::span(part).first(std::min(left, part.size())));
    const std::size_t meant = std::min<std::size_t>(
        more, frame_.sizes[files_.size()] -
                  std::min<std::size_t>(file_have_, frame_.sizes[files_.size()]));
    if (const int code = base::write_all(file_.fd(), std::span(part).first(meant)); code != 0)
      throw base::storage_error("fill", "memory for a gang", code);
    file_have_ += more;
    if (more > 0) finish_file();
    return more > 0;
  }

  /// Goes on to the next file if this one is whole, and hands the order over after the last one.
  void finish_file() {
    while (files_.size() < frame_.files - frame_.known) {
      if (!file_) file_ = file_of({});
      if (file_have_ < padded(frame_.sizes[files_.size()])) return;
      files_.push_back(std::move(file_));
      file_have_ = 0;
    }
    if (frame_.known > 0) files_.emplace_back(::dup(data_.fd()));
    std::vector<int> numbers;
    for (const base::File& file : files_) numbers.push_back(file.fd());
    gone_ = !channel_.send(frame_.order, numbers);
    if (frame_.order.kind == Order::Kind::train && !files_.empty())
      data_ = std::move(files_.back());
    have_ = 0;
  }

  Halted& halted_;
  OrderFrame frame_;
  std::size_t have_ = 0;  // bytes of the frame
  base::File file_;       // that comes
  std::size_t file_have_ = 0;
  std::vector<base::File> files_;  // of this order
  base::File data_;                // of the last training
  bool gone_ = false;
};

}  // namespace

void carry_orders(base::File end, Links& link) {
  try {
    OrderBridge(std::move(end), link).run();
  } catch (const base::Error&) {
    // The end of the channel says it to the one who uses it.
  }
}

void carry_notices(base::File end, Links& link, Halted& halted) {
  try {
    NoticeBridge(std::move(end), link, halted).run();
  } catch (const base::Error&) {
    // The first process is gone, or this machine has no memory; the end of the channel says it.
  }
  halted = UINT64_MAX;
}

}  // namespace tasks
