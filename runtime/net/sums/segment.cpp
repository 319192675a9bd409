#include "runtime/net/sums/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "runtime/net/sums/schedule.h"

namespace rt::net::sums {

namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// Stands before everything else. Whoever has not the token has another segment: descriptors are
/// numbers that are used again.
struct alignas(64) Front {
  std::uint64_t token;
  std::uint32_t members;
  std::uint64_t capacity;
};

std::size_t size_of(int members, std::size_t capacity) {
  const auto n = static_cast<std::size_t>(members);
  return sizeof(Front) + n * sizeof(Seat) + n * n * (sizeof(RingEnds) + capacity);
}

[[noreturn]] void fail(const std::string& what, int code) {
  throw base::Error(
      base::Errc::storage,
      base::cat("shared memory for sums between processes: ", what, ": ", base::errno_words(code)));
}

/// The number that ends `text` after the mark, which is cut off.
std::uint64_t cut_number(std::string& text, char mark) {
  const std::size_t at = text.rfind(mark);
  std::uint64_t number = 0;
  if (at == std::string::npos) fail("no address: " + text, EINVAL);
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data() + at + 1, end, number);
  if (code != std::errc{} || stop != end) fail("no address: " + text, EINVAL);
  text.resize(at);
  return number;
}

}  // namespace

Segment::Segment(base::File file, std::string address, int members, std::size_t capacity)
    : file_(std::move(file)),
      address_(std::move(address)),
      members_(members),
      capacity_(capacity),
      size_(size_of(members, capacity)) {
  void* const at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.fd(), 0);
  if (at == MAP_FAILED) fail("cannot map it", errno);
  memory_ = static_cast<std::byte*>(at);
}

Segment::~Segment() {
  if (memory_ != nullptr) ::munmap(memory_, size_);
}

std::shared_ptr<Segment> Segment::make(int members, std::size_t capacity) {
  if (members < 1 || members > kMostMembers || capacity < 64 || !std::has_single_bit(capacity))
    throw base::Error(base::Errc::internal, "no such segment");
  base::File file(::memfd_create("trellis-sums", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) fail("cannot make it", errno);
  const std::size_t size = size_of(members, capacity);
  if (::ftruncate(file.fd(), static_cast<off_t>(size)) != 0) fail("cannot make it", errno);
  // A member that cuts it short would kill the others by SIGBUS.
  if (::fcntl(file.fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    fail("cannot seal it", errno);
  Front front{.token = 0, .members = static_cast<std::uint32_t>(members), .capacity = capacity};
  if (::getrandom(&front.token, sizeof front.token, 0) != sizeof front.token)
    fail("no random number", errno);
  const std::string address = base::cat("/proc/", ::getpid(), "/fd/", file.fd(), "#", front.token);
  std::shared_ptr<Segment> made(new Segment(std::move(file), address, members, capacity));
  std::memcpy(made->memory_, &front, sizeof front);
  return made;
}

std::shared_ptr<Segment> Segment::open(const std::string& address) {
  std::string path = address;
  const std::uint64_t token = cut_number(path, '#');
  base::File file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) fail("cannot open " + path, errno);
  Front front{};
  struct stat found {};
  if (::fstat(file.fd(), &found) != 0 || !S_ISREG(found.st_mode) ||
      ::pread(file.fd(), &front, sizeof front, 0) != sizeof front || front.token != token ||
      front.members < 1 || front.members > kMostMembers || front.capacity < 64 ||
      front.capacity > (std::uint64_t{1} << 32) || !std::has_single_bit(front.capacity) ||
      static_cast<std::size_t>(found.st_size) !=
          size_of(static_cast<int>(front.members), front.capacity) ||
      (::fcntl(file.fd(), F_GET_SEALS) & F_SEAL_SHRINK) == 0)
    fail(path + " is another file", EINVAL);
  return std::shared_ptr<Segment>(
      new Segment(std::move(file), address, static_cast<int>(front.members), front.capacity));
}

Seat& Segment::seat(int member) const noexcept {
  return reinterpret_cast<Seat*>(memory_ + sizeof(Front))[member];
}

RingEnds& Segment::ends(int from, int to) const noexcept {
  return reinterpret_cast<RingEnds*>(&seat(members_))[from * members_ + to];
}

std::byte* Segment::bytes(int from, int to) const noexcept {
  auto* const rings = reinterpret_cast<std::byte*>(&ends(members_, 0));
  return rings + static_cast<std::size_t>(from * members_ + to) * capacity_;
}

}  // namespace rt::net::sums
