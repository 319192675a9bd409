#include "tasks/members/wire.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/new_file.h"

namespace tasks::wire {

namespace {

constexpr std::uint64_t kPiece = 256 << 10;
constexpr std::uint64_t kMostOnItsWay = 16 * kPiece;
/// The place of the data among the files of a training.
constexpr std::size_t kData = 1;

[[noreturn]] void refuse(const char* what) { throw base::Error(base::Errc::data, what); }

template <class T>
T plain(const base::Bytes& bytes) {
  T value;
  if (bytes.size() != sizeof value) refuse("a message of a gang has another length");
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <class T>
base::Bytes plain_bytes(const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

base::File copy_of(const base::File& file) {
  base::File copy(::fcntl(file.fd(), F_DUPFD_CLOEXEC, 0));
  if (!copy) throw base::storage_error("hold", "memory of a gang", errno);
  return copy;
}

}  // namespace

base::Bytes bytes_of(const Notice& notice) { return plain_bytes(notice); }

Notice notice_of(const NoticeSent& sent) {
  auto notice = plain<Notice>(sent.notice);
  notice.address.back() = '\0';
  return notice;
}

void Sending::add(Channel::Received order) {
  waiting_.emplace_back();
  waiting_.back().order = std::move(order);
}

OrderSent Sending::head_of(Waiting& waiting) {
  const Order& order = waiting.order.order;
  for (const base::File& file : waiting.order.files) {
    const off_t size = ::lseek(file.fd(), 0, SEEK_END);
    if (size < 0) throw base::storage_error("read", "memory of a gang", errno);
    waiting.sizes.push_back(static_cast<std::uint64_t>(size));
  }
  if (order.kind == Order::Kind::train && waiting.sizes.size() > kData) {
    if (data_ == order.data_number) waiting.sizes[kData] = kHeld;
    data_ = order.data_number;
  }
  return {plain_bytes(order), waiting.sizes};
}

std::optional<FromFirst> Sending::next() {
  while (!waiting_.empty()) {
    Waiting& waiting = waiting_.front();
    if (!std::exchange(waiting.begun, true)) return head_of(waiting);
    if (waiting.file == waiting.sizes.size()) {
      waiting_.pop_front();
      continue;
    }
    const std::uint64_t size = waiting.sizes[waiting.file];
    if (size == kHeld || waiting.sent == size) {
      ++waiting.file;
      waiting.sent = 0;
      continue;
    }
    if (on_its_way_ >= kMostOnItsWay) return std::nullopt;
    Piece piece;
    piece.bytes.resize(static_cast<std::size_t>(std::min(kPiece, size - waiting.sent)));
    const base::ReadResult read =
        base::read_into(waiting.order.files[waiting.file].fd(), piece.bytes,
                        static_cast<std::int64_t>(waiting.sent));
    if (read.bytes != piece.bytes.size())
      throw base::storage_error("read", "memory of a gang", read.code);
    waiting.sent += piece.bytes.size();
    on_its_way_ += piece.bytes.size();
    return piece;
  }
  return std::nullopt;
}

void Receiving::next_file() {
  while (order_->files.size() < sizes_.size() && left_ == 0) {
    const std::uint64_t size = sizes_[order_->files.size()];
    if (size == kHeld) {
      if (!data_) refuse("the data of a gang have not come");
      order_->files.push_back(copy_of(data_));
      continue;
    }
    base::File file(::memfd_create("trellis-gang", MFD_CLOEXEC));
    if (!file) throw base::storage_error("make", "memory for a gang", errno);
    order_->files.push_back(std::move(file));
    left_ = size;
  }
}

void Receiving::take(const OrderSent& sent) {
  if (order_ || sent.files.size() > kOrderFiles) refuse("an order of a gang does not belong here");
  order_.emplace();
  order_->order = plain<Order>(sent.order);
  sizes_ = sent.files;
  left_ = 0;
  next_file();
}

void Receiving::take(const Piece& piece) {
  if (!order_ || piece.bytes.empty() || piece.bytes.size() > left_)
    refuse("a part of a file of a gang does not belong here");
  if (const int code = base::write_all(order_->files.back().fd(), piece.bytes); code != 0)
    throw base::storage_error("fill", "memory for a gang", code);
  left_ -= piece.bytes.size();
  next_file();
}

std::optional<Channel::Received> Receiving::whole() {
  if (!order_ || left_ > 0 || order_->files.size() < sizes_.size()) return std::nullopt;
  if (order_->order.kind == Order::Kind::train && order_->files.size() > kData)
    data_ = copy_of(order_->files[kData]);
  return std::exchange(order_, std::nullopt);
}

}  // namespace tasks::wire
