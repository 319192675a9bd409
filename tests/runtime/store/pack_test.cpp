// The file of small entries: what it holds after cuts, faults, deaths and beside other processes.
#include "runtime/store/pack.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "runtime/key.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace {

using base::Bytes;
using base::Key;
using rt::store::Pack;
using rt::store::Pins;
using support::TempFolder;
using support::Warnings;

/// A clock that stands, or that each look at it moves on.
struct HandClock {
  static inline base::Moment time{};
  static inline base::Duration step{};
  explicit HandClock(base::Duration each) {
    step = each;
    base::install_clock(
        {[]() noexcept { return time = time + step; }, base::machine_clock().sleep});
  }
  HandClock(const HandClock&) = delete;
  HandClock& operator=(const HandClock&) = delete;
  ~HandClock() { base::install_clock(base::machine_clock()); }
};

constexpr std::uint64_t kLarge = 1 << 20;
constexpr std::size_t kSize = 100;
constexpr std::size_t kEntry = rt::store::kHeadBytes + kSize;

Key key(std::uint64_t n) { return rt::key_of(n); }

Bytes content(std::uint64_t n) {
  base::Stream random(n, "entry");
  Bytes bytes(kSize);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.u32());
  return bytes;
}

/// A pack and what it works with, as one process has them.
struct Opened {
  explicit Opened(const TempFolder& t, std::uint64_t most = kLarge)
      : pins(t.path()), pack(t.path(), most, pins) {}

  void put(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t n = from; n < to; ++n) ASSERT_EQ(pack.put(key(n), content(n), 0.5), 0);
  }
  /// 1 for an entry with its own content, 0 for an absent one, -1 for a wrong answer.
  int holds(std::uint64_t n) {
    const rt::store::Found found = pack.find(key(n));
    if (!found.bytes) return 0;
    return *found.bytes == content(n) && found.cost == 0.5 ? 1 : -1;
  }

  Pins pins;
  Pack pack;
};

std::string file_of(const TempFolder& t) { return base::read_file(t / rt::store::kPackName); }

void write_file(const TempFolder& t, std::string_view bytes) {
  base::write_file_atomic(t / rt::store::kPackName, bytes, base::Durability::cached);
}

TEST(Pack, HoldsEntriesInOneFile) {
  const TempFolder t;
  Opened(t).put(0, 50);
  EXPECT_EQ(file_of(t).size(), 50 * kEntry);
  Opened again(t);
  for (std::uint64_t n = 0; n < 50; ++n) EXPECT_EQ(again.holds(n), 1) << n;
  EXPECT_EQ(again.holds(50), 0);
  again.put(0, 50);
  EXPECT_EQ(file_of(t).size(), 50 * kEntry) << "a key that is there stays as it is";
  again.pack.erase(key(3));
  EXPECT_EQ(again.holds(3), 0);
  EXPECT_TRUE(again.pack.contains(key(4)));
}

TEST(Pack, ErasesWhatNobodyLookedUpYet) {
  const TempFolder t;
  Opened one(t);
  one.put(0, 3);
  one.pack.erase(key(1));
  for (std::uint64_t n = 0; n < 3; ++n) EXPECT_EQ(one.holds(n), n != 1) << n;
  EXPECT_FALSE(one.pack.contains(key(1)));
}

TEST(Pack, SeesWhatOthersPutSince) {
  const HandClock fast(std::chrono::seconds(1));
  const TempFolder t;
  Opened one(t), other(t);
  one.put(0, 3);
  EXPECT_EQ(other.holds(2), 1);
  other.put(3, 5);
  EXPECT_EQ(one.holds(4), 1);
  std::filesystem::remove(t / rt::store::kPackName);
  EXPECT_EQ(one.holds(99), 0);
  one.put(6, 8);
  EXPECT_EQ(other.holds(7), 1) << "a file that somebody removed begins anew";
}

TEST(Pack, LooksForWhatOthersPutOnlyEverySoOften) {
  const TempFolder t;
  const HandClock still({});
  Opened one(t), other(t);
  one.put(0, 3);
  EXPECT_EQ(other.holds(2), 1);
  one.put(3, 5);
  EXPECT_EQ(one.holds(4), 1) << "its own are there at once";
  EXPECT_EQ(other.holds(4), 0);
  HandClock::time = HandClock::time + std::chrono::milliseconds(50);
  EXPECT_EQ(other.holds(4), 1);
  other.put(5, 6);
  EXPECT_EQ(other.holds(5), 1);
  one.put(6, 7);
  EXPECT_EQ(one.holds(6), 1) << "behind what it has not read";
  EXPECT_EQ(one.holds(5), 1);
}

TEST(Pack, ACutFileKeepsWhatIsWholeAndGoesOn) {
  const TempFolder t;
  Opened(t).put(0, 3);
  const std::string whole = file_of(t);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_file(t, whole.substr(0, size));
    const Warnings warnings;
    const bool torn = size % kEntry != 0;
    Opened next(t);
    for (std::uint64_t n = 0; n < 3; ++n)
      ASSERT_EQ(next.holds(n), (n + 1) * kEntry <= size ? 1 : 0) << size;
    EXPECT_TRUE(warnings.lines.empty()) << "the end may be on its way";
    next.put(10, 12);
    ASSERT_EQ(next.holds(11), 1) << size;
    ASSERT_EQ(warnings.lines.size(), torn ? 1U : 0U) << size;
    const std::size_t kept = size / kEntry + 2;
    ASSERT_EQ(file_of(t).size(), kept * kEntry) << "nothing torn is left";
    Opened last(t);
    for (std::uint64_t n = 0; n < 3; ++n)
      ASSERT_EQ(last.holds(n), (n + 1) * kEntry <= size ? 1 : 0) << size;
    ASSERT_EQ(last.holds(10), 1);
    ASSERT_EQ(last.pack.damaged(), 0U);
  }
}

TEST(Pack, AFlippedByteCostsOneEntry) {
  const TempFolder t;
  Opened(t).put(0, 3);
  const std::string whole = file_of(t);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    write_file(t, flipped);
    const Warnings warnings;
    Opened next(t);
    for (std::uint64_t n = 0; n < 3; ++n) ASSERT_EQ(next.holds(n), n == at / kEntry ? 0 : 1) << at;
    ASSERT_EQ(warnings.lines.size(), at / kEntry == 2 ? 0U : 1U);
  }
  write_file(t, whole);
  Opened open(t);
  EXPECT_EQ(open.holds(1), 1);
  std::string flipped = whole;
  flipped[kEntry + 70] = static_cast<char>(flipped[kEntry + 70] ^ 1);
  // In place, under a file that was read already.
  FILE* file = std::fopen((t / rt::store::kPackName).c_str(), "r+");
  ASSERT_NE(file, nullptr);
  std::fwrite(flipped.data(), 1, flipped.size(), file);
  std::fclose(file);
  EXPECT_EQ(open.holds(1), 0);
  EXPECT_EQ(open.holds(2), 1);
}

TEST(Pack, BeyondItsLimitTheOlderHalfGoesButWhatIsPinned) {
  const HandClock fast(std::chrono::seconds(1));
  const TempFolder t;
  constexpr std::uint64_t kMost = 20 * kEntry;
  Opened one(t, kMost), other(t, kMost);
  one.put(0, 2);
  one.pins.set("somebody", {key(1)});
  EXPECT_EQ(other.holds(0), 1);
  one.put(2, 21);
  EXPECT_EQ(one.holds(20), 1);
  EXPECT_LE(file_of(t).size(), kMost / 2 + kEntry);
  EXPECT_EQ(one.holds(0), 0);
  EXPECT_EQ(one.holds(1), 1);
  EXPECT_EQ(one.holds(2), 0);
  EXPECT_EQ(one.holds(15), 1);
  EXPECT_EQ(other.holds(20), 1) << "the new file is found";
  other.put(100, 500);
  EXPECT_EQ(other.holds(499), 1);
  EXPECT_EQ(other.holds(1), 1) << "another process's list counts";
  EXPECT_LE(file_of(t).size(), 2 * kMost);
}

TEST(Pack, ALinkIsNotFollowed) {
  const HandClock fast(std::chrono::seconds(1));
  const TempFolder t, outside;
  base::write_file_atomic(outside / "mine", "left alone");
  std::filesystem::create_symlink(outside / "mine", t / rt::store::kPackName);
  Opened pack(t);
  EXPECT_EQ(pack.holds(0), 0);
  EXPECT_EQ(pack.pack.put(key(0), content(0), 0.5), ELOOP);
  EXPECT_EQ(base::read_file(outside / "mine"), "left alone");
  std::filesystem::remove(t / rt::store::kPackName);
  ASSERT_EQ(::mkfifo((t / rt::store::kPackName).c_str(), 0600), 0);
  EXPECT_EQ(pack.holds(0), 0) << "a pipe neither hangs it nor counts as its file";
  EXPECT_NE(pack.pack.put(key(0), content(0), 0.5), 0);
}

/// A process that does its part and says with its exit code whether all was right.
template <class Part>
pid_t in_a_process(Part part) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(part() ? 0 : 1);
  return child;
}

TEST(Pack, ProcessesShareIt) {
  const TempFolder t;
  std::vector<pid_t> children;
  for (std::uint64_t child = 0; child < 4; ++child) {
    children.push_back(in_a_process([&] {
      Opened own(t, 40 * kEntry);
      base::Stream random(child, "share");
      for (int i = 0; i < 3000; ++i) {
        const std::uint64_t n = random.below(100);
        const int found = own.holds(n);
        if (found < 0) return false;
        if (found == 0 && own.pack.put(key(n), content(n), 0.5) != 0) return false;
      }
      return own.pack.damaged() == 0;
    }));
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(Pack, AKilledWriterTakesNothingWithIt) {
  const TempFolder t;
  std::uint64_t put = 0;  // after the first of a round
  for (std::uint64_t round = 0; round < 12; ++round) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = in_a_process([&] {
      Opened own(t, kLarge << 4);
      for (std::uint64_t n = round << 32;; ++n) {
        if (own.pack.put(key(n), content(n), 0.5) != 0) return false;
        if (::write(pipe[1], &n, sizeof n) != sizeof n) return false;
      }
    });
    std::uint64_t first = 0;
    ASSERT_EQ(::read(pipe[0], &first, sizeof first), sizeof first);
    base::sleep_for(std::chrono::microseconds(37 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(pipe[1]);
    Opened after(t, kLarge << 4);
    ASSERT_EQ(after.holds(first), 1);
    for (std::uint64_t n = 0; ::read(pipe[0], &n, sizeof n) == sizeof n; ++put)
      ASSERT_EQ(after.holds(n), 1) << n;
    ::close(pipe[0]);
  }
  EXPECT_GT(put, 0U);
}

}  // namespace
