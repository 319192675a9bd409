#include "hpo/log/study_claim.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "base/clock.h"
#include "base/log.h"
#include "base/new_file.h"
#include "base/text.h"
#include "hpo/log/schema.h"

namespace hpo {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kClaim = "study.claim-";
// Of one length: the second is written over the first.
constexpr std::string_view kDriving = "driving\n";
constexpr std::string_view kEnded = "ended  \n";

/// One question. Also for a driver of this machine that seems to be over.
constexpr base::Duration kOneQuestion = seconds(1);

/// What a claim's file says.
struct Claim {
  bool ended = false;
  Holder driver;
};

std::string text_of(const Holder& driver) {
  return base::cat(kDriving, driver.text(), driver.address, "\n");
}

/// Nothing for a text that is cut short.
std::optional<Claim> claim_from(std::string_view text) {
  const bool ended = text.starts_with(kEnded);
  if (!ended && !text.starts_with(kDriving)) return {};
  text.remove_prefix(kDriving.size());
  auto driver = Holder::from_text(text);
  if (!driver || !text.ends_with('\n')) return {};
  text.remove_suffix(1);
  const std::size_t last = text.rfind('\n');
  if (std::ranges::count(text, '\n') != 5) return {};
  driver->address = text.substr(last + 1);
  return Claim{ended, std::move(*driver)};
}

/// The content of a claim's file; nothing where there is none. Opening asks the server, where a
/// mere look may be answered by what this machine remembers. Throws base::Error (storage).
std::optional<std::string> read_claim(const base::Path& path) {
  const base::File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file && errno == ENOENT) return {};
  std::string text(4096, '\0');
  const ssize_t n = file ? ::read(file.fd(), text.data(), text.size()) : -1;
  if (n < 0) throw base::storage_error("read", path, errno);
  text.resize(static_cast<std::size_t>(n));
  return text;
}

/// The numbers of the claims that are there. An empty set where the folder cannot be read.
std::set<std::int64_t> claims_in(const base::Path& folder) {
  std::set<std::int64_t> numbers;
  std::error_code trouble;
  for (std::filesystem::directory_iterator at(folder, trouble), end; !trouble && at != end;
       at.increment(trouble)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kClaim)) continue;
    const auto number = base::parse_int(std::string_view(name).substr(kClaim.size()));
    if (number && *number > 0) numbers.insert(*number);
  }
  return numbers;
}

base::Path claim_file(const base::Path& folder, std::int64_t number) {
  return folder / base::cat(kClaim, number);
}

/// 0, EEXIST where somebody has made it, or another errno value. The file appears with its content;
/// where the file system has no second names, a moment before it.
int make_exclusively(const base::Path& path, const std::string& text) {
  const base::Path beside = base::temporary_beside(path);
  {
    const base::File file(base::open_retrying(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666));
    if (!file) return errno;
    if (const int code = base::write_all(file.fd(), base::as_bytes(text)); code != 0) {
      ::unlink(beside.c_str());
      return code;
    }
  }
  const int code = ::link(beside.c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(beside.c_str());
  if (code != EPERM && code != ENOSYS && code != EOPNOTSUPP && code != EMLINK) return code;
  const base::File file(base::open_retrying(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666));
  return file ? base::write_all(file.fd(), base::as_bytes(text)) : errno;
}

/// A claim that somebody is writing has its content in a moment.
std::optional<Claim> finished_claim(const base::Path& path) {
  const base::Moment begun = base::now();
  for (;;) {
    const auto text = read_claim(path);
    if (!text) return {};
    if (auto claim = claim_from(*text)) return claim;
    if (base::now() - begun >= kDriverPatience) return {};
    base::sleep_for(milliseconds(20));
  }
}

std::optional<Claim> last_claim(const base::Path& folder) {
  const std::set<std::int64_t> numbers = claims_in(folder);
  if (numbers.empty()) return {};
  const auto text = read_claim(claim_file(folder, *numbers.rbegin()));
  return text ? claim_from(*text) : std::nullopt;
}

bool is_reached_like_us(const Holder& driver) {
  std::error_code trouble;
  const auto theirs =
      std::filesystem::read_symlink(base::cat("/proc/", driver.pid, "/ns/net"), trouble);
  return !trouble && theirs == std::filesystem::read_symlink("/proc/self/ns/net", trouble);
}

/// A closed port says little: the machine may have another address by now, or stand behind a wall.
bool answers_within(const Holder& driver, base::Duration patience) {
  const base::Moment begun = base::now();
  for (bool told = false;;) {
    if (ask_driver(driver.address, kOneQuestion) == Liveness::answers) return true;
    if (patience <= kOneQuestion || base::now() - begun >= patience) return false;
    if (!told)
      base::note(base::cat(process_words(driver),
                           " drove this study and did not say that it ended: "
                           "waiting ",
                           base::format_seconds(base::seconds(patience)), " for its answer"));
    told = true;
    base::sleep_for(milliseconds(200));
  }
}

}  // namespace

bool lives(const Holder& driver, const base::Path& folder, StudyLock::State lock,
           base::Duration patience) {
  const std::optional<bool> here = driver.alive();
  // One kernel keeps the lock, and no other machine's file system stands between: it tells.
  if (here && driver.boot == Holder::self().boot && lock == StudyLock::State::free &&
      !is_network_folder(folder))
    return false;
  if (driver.address.empty()) return lock == StudyLock::State::unknown && here.value_or(false);
  if (!here) return answers_within(driver, patience);
  const Liveness said = ask_driver(driver.address, kOneQuestion);
  if (!*here) return said == Liveness::answers;
  // It may be frozen. Where its port is closed the process goes on with something else.
  return said != Liveness::refused || !is_reached_like_us(driver);
}

StudyClaim::StudyClaim(const base::Path& folder, StudyLock::State lock)
    : folder_(folder), self_(Holder::self()) {
  self_.address = port_.address();
  std::set<std::int64_t> settled;
  for (;;) {
    for (const std::int64_t number : claims_in(folder_)) {
      if (settled.insert(number).second) settle(number, lock);
    }
    const std::int64_t next = settled.empty() ? 1 : *settled.rbegin() + 1;
    if (!make(next)) {
      settle(next, lock);
      settled.insert(next);
      continue;
    }
    const std::set<std::int64_t> now = claims_in(folder_);
    if (now.empty() || *now.rbegin() <= next) {
      number_ = next;
      for (const std::int64_t number : now) {
        if (number < next) ::unlink(file(number).c_str());
      }
      return;
    }
    // Somebody was faster by more than one claim, and has removed the one of that number.
    ::unlink(file(next).c_str());
  }
}

StudyClaim::~StudyClaim() {
  try {
    if (!is_mine()) return;
  } catch (const base::Error&) {
    return;
  }
  const base::File mine(::open(file(number_).c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (mine) (void)!::pwrite(mine.fd(), kEnded.data(), kEnded.size(), 0);
}

bool StudyClaim::is_mine() const { return read_claim(file(number_)) == text_of(self_); }

bool StudyClaim::stands() const {
  // Where somebody has tidied the folder up, nobody has taken the study over.
  return is_mine() || claims_in(folder_).empty();
}

std::optional<Holder> StudyClaim::successor() const {
  auto claim = last_claim(folder_);
  if (!claim) return {};
  return std::move(claim->driver);
}

std::optional<Holder> StudyClaim::latest(const base::Path& folder) {
  auto claim = last_claim(folder);
  if (!claim || claim->ended) return {};
  return std::move(claim->driver);
}

/// False where the claim of that number is somebody else's.
bool StudyClaim::make(std::int64_t number) const {
  const std::string text = text_of(self_);
  const int code = make_exclusively(file(number), text);
  if (code == 0) return true;
  if (code != EEXIST) throw base::storage_error("make", file(number), code);
  // A server whose answer was lost is asked again and may then say that the file is there.
  return read_claim(file(number)) == text;
}

/// Throws base::Error (locked) where the driver of that claim lives.
void StudyClaim::settle(std::int64_t number, StudyLock::State lock) const {
  const auto claim = finished_claim(file(number));
  if (claim && !claim->ended && lives(claim->driver, folder_, lock, kDriverPatience))
    throw locked_error(folder_, process_words(claim->driver), claim->driver.since);
}

base::Path StudyClaim::file(std::int64_t number) const { return claim_file(folder_, number); }

std::optional<Holder> claimant(const base::Path& folder, StudyLock::State lock) {
  auto driver = StudyClaim::latest(folder);
  if (driver && lives(*driver, folder, lock, kOneQuestion)) return driver;
  return {};
}

bool is_driven(const base::Path& folder) {
  const StudyLock::State lock = StudyLock::look(folder);
  return lock == StudyLock::State::held || claimant(folder, lock);
}

}  // namespace hpo
