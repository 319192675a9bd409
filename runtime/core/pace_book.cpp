#include "runtime/core/pace_book.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "base/enum_names.h"
#include "base/hash.h"
#include "runtime/codec.h"

namespace rt::inline v0::detail {

namespace {

constexpr std::string_view kFormat = "trellis paces 1\n";  // then the key of the rest, and the rest
constexpr std::size_t kKeyDigits = 32;
constexpr std::uint64_t kMostBytes = 1 << 20;
constexpr std::size_t kMostEntries = 256;
constexpr std::array kKinds{Device::cpu, Device::cuda};
static_assert(kKinds.size() == base::enum_count<Device>());

PaceBook::Page read_page(const base::Path& file) {
  try {
    const base::Bytes bytes = base::read_bytes(file, kMostBytes);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t head = kFormat.size() + kKeyDigits;
    if (text.size() < head || !text.starts_with(kFormat)) return {};
    const std::span rest = std::span(bytes).subspan(head);
    if (text.substr(kFormat.size(), kKeyDigits) != base::hash_bytes(rest).hex()) return {};
    return decode<PaceBook::Page>(rest);
  } catch (const std::exception&) {
    return {};
  }
}

void write_page(const base::Path& file, const PaceBook::Page& page) {
  const base::Bytes rest = encode(page);
  std::string text = std::string(kFormat) + base::hash_bytes(rest).hex();
  text.append(reinterpret_cast<const char*>(rest.data()), rest.size());
  base::write_file_atomic(file, text, base::Durability::cached);
}

PaceBook::Entry* find(PaceBook::Page& page, const PaceBook::Entry& entry) {
  const auto found = std::ranges::find_if(
      page, [&](const PaceBook::Entry& other) { return other.same_task(entry); });
  return found != page.end() ? &*found : nullptr;
}

/// Puts `entry` in front. Whether that says anything new.
bool put(PaceBook::Page& page, PaceBook::Entry entry) {
  constexpr double kNear = 0.1;
  bool news = true;
  if (PaceBook::Entry* old = find(page, entry)) {
    news = false;
    for (const Pace::Known& known : entry.paces) {
      const auto before = std::ranges::find(old->paces, known.slot, &Pace::Known::slot);
      if (before == old->paces.end()) {
        old->paces.push_back(known);
        news = true;
      } else {
        news = news || std::abs(known.pace - before->pace) > kNear * before->pace;
        before->pace = known.pace;
      }
    }
    entry = std::move(*old);
    page.erase(page.begin() + (old - page.data()));
  }
  page.insert(page.begin(), std::move(entry));
  return news;
}

}  // namespace

bool PaceBook::Entry::same_task(const Entry& other) const noexcept {
  return machine == other.machine && task == other.task && version == other.version &&
         kind == other.kind;
}

PaceBook::PaceBook(base::Path file, std::string machine) noexcept
    : file_(std::move(file)), machine_(std::move(machine)), page_(read_page(file_)) {}

PaceBook::Entry PaceBook::entry_of(const TaskInfo& info, Device kind) const {
  return {.machine = machine_,
          .task = info.name,
          .version = info.version,
          .kind = static_cast<std::uint8_t>(kind),
          .paces = info.pace_on(kind).known()};
}

void PaceBook::recall(const TaskInfo& info) {
  if (!recalled_.insert(&info).second) return;
  for (const Device kind : kKinds) {
    const Entry* entry = find(page_, entry_of(info, kind));
    if (entry != nullptr) info.pace_on(kind).recall(entry->paces);
  }
}

void PaceBook::keep() const noexcept {
  try {
    base::make_folder(file_.parent_path());
    base::Path lock_file = file_;
    lock_file += ".lock";
    const base::File lock(
        ::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!lock || ::flock(lock.fd(), LOCK_EX | LOCK_NB) != 0) return;
    Page page = read_page(file_);  // as others left it
    bool news = false;
    for (const TaskInfo* info : recalled_) {
      for (const Device kind : kKinds) {
        Entry entry = entry_of(*info, kind);
        if (!entry.paces.empty() && put(page, std::move(entry))) news = true;
      }
    }
    if (!news) return;
    page.resize(std::min(page.size(), kMostEntries));
    write_page(file_, page);
  } catch (const std::exception&) {
    // Learned again next time.
  }
}

}  // namespace rt::inline v0::detail
