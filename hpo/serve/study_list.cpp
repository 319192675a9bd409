#include "hpo/serve/study_list.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "hpo/log/study_reader.h"

namespace hpo::serve {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr base::Duration kFresh = milliseconds(1000);
/// A folder that has not answered by then hangs.
constexpr base::Duration kSilence = milliseconds(1500);
/// One that takes so long is not waited for: another thread goes on.
constexpr base::Duration kSlow = milliseconds(200);
/// Threads that may hang at the same time.
constexpr std::size_t kMostThreads = 8;

/// When the log was written last.
std::int64_t written(const base::Path& folder) {
  std::int64_t last = 0;
  for (const char* file : {"study.db", "study.db-wal"}) {
    std::error_code none;
    const auto time = fs::last_write_time(folder / file, none);
    if (none) continue;
    const auto since = std::chrono::file_clock::to_sys(time).time_since_epoch();
    last = std::max<std::int64_t>(
        last, std::chrono::duration_cast<std::chrono::microseconds>(since).count());
  }
  return last;
}

StudySummary summary_of(const base::Path& folder, const std::string& name) {
  StudySummary summary{.name = name};
  try {
    const StudyReader study(folder);
    summary.info = study.info();
    summary.counts = study.counts();
    summary.best = study.best();
    summary.work = study.work();
    summary.workers = study.workers();
    summary.moved = written(folder);
  } catch (const base::Error&) {
    summary.is_broken = true;
  }
  return summary;
}

/// Real folders alone: a link may lead anywhere.
std::vector<std::string> names_in(const base::Path& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (fs::directory_iterator entry(folder, none), end; !none && entry != end;
       entry.increment(none)) {
    // Both are known from the folder's own content: nothing here looks into the entry, which may
    // hang.
    std::error_code unknown;
    if (!entry->is_symlink(unknown) && entry->is_directory(unknown))
      names.push_back(entry->path().filename().string());
  }
  return names;
}

/// A folder of the folder.
struct Entry {
  bool is_study = false;
  StudySummary summary;
};

}  // namespace

/// One round looks into every folder. A thread that hangs keeps its place in `busy`.
struct StudyList::Impl : std::enable_shared_from_this<StudyList::Impl> {
  base::Path folder;
  std::optional<std::string> only;

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Entry> known;
  /// What is looked at, and since when. "" is the folder itself.
  std::map<std::string, base::Moment> busy;
  std::deque<std::string> todo;  ///< of this round
  bool is_listed = false;        ///< the names are those of this round
  std::optional<base::Moment> begun, finished, listed;
  std::size_t threads = 0;
  bool wants_summaries = false;  ///< somebody asked for more than names
  bool closing = false;

  void run();
  void begin();
  void start_thread();
  void list(std::unique_lock<std::mutex>& lock);
  void look(std::unique_lock<std::mutex>& lock, const std::string& name);
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] std::size_t busy_for(base::Duration time) const;
  [[nodiscard]] bool hangs(const std::string& name) const;
};

bool StudyList::Impl::hangs(const std::string& name) const {
  const auto found = busy.find(name);
  return found != busy.end() && base::now() - found->second > kSilence;
}

std::size_t StudyList::Impl::busy_for(base::Duration time) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      busy, [&](const auto& one) { return base::now() - one.second > time; }));
}

/// Over, too, when all that is left hangs.
bool StudyList::Impl::is_over() const {
  return (is_listed || hangs("")) && todo.empty() && busy_for(kSilence) == busy.size();
}

void StudyList::Impl::start_thread() {
  if (threads >= kMostThreads) return;
  ++threads;
  std::thread([self = shared_from_this()] { self->run(); }).detach();
}

void StudyList::Impl::list(std::unique_lock<std::mutex>& lock) {
  busy[""] = base::now();
  lock.unlock();
  const std::vector<std::string> names = only ? std::vector{*only} : names_in(folder);
  lock.lock();
  busy.erase("");
  std::erase_if(
      known, [&](const auto& one) { return std::ranges::find(names, one.first) == names.end(); });
  todo.clear();
  for (const std::string& name : names) {
    known.try_emplace(name, Entry{.summary = {.name = name}});
    if (!busy.contains(name)) todo.push_back(name);
  }
  is_listed = true;
  listed = base::now();
  changed.notify_all();
}

void StudyList::Impl::look(std::unique_lock<std::mutex>& lock, const std::string& name) {
  busy[name] = base::now();
  lock.unlock();
  Entry entry{.is_study = base::file_size(folder / name / "study.db").has_value(),
              .summary = {.name = name}};
  if (entry.is_study) entry.summary = summary_of(folder / name, name);
  lock.lock();
  busy.erase(name);
  if (const auto found = known.find(name); found != known.end()) found->second = std::move(entry);
}

/// Each thread goes on until nothing is left to do.
void StudyList::Impl::run() {
  std::unique_lock lock(mutex);
  if (!is_listed && !busy.contains("")) list(lock);
  while (!closing && wants_summaries && !todo.empty()) {
    const std::string name = std::move(todo.front());
    todo.pop_front();
    look(lock, name);
    changed.notify_all();
  }
  --threads;
  changed.notify_all();
}

void StudyList::Impl::begin() {
  begun = base::now();
  finished.reset();
  is_listed = false;
  start_thread();
}

StudyList::StudyList(base::Path folder, std::optional<std::string> only)
    : impl_(std::make_shared<Impl>()) {
  impl_->folder = std::move(folder);
  impl_->only = std::move(only);
}

StudyList::~StudyList() {
  std::unique_lock lock(impl_->mutex);
  impl_->closing = true;
  impl_->changed.wait_for(lock, milliseconds(500), [&] { return impl_->threads == 0; });
}

std::vector<StudySummary> StudyList::summaries(base::Duration patience) {
  Impl& impl = *impl_;
  std::unique_lock lock(impl.mutex);
  const base::Moment until = base::now() + patience;
  const bool is_fresh = impl.finished && base::now() - *impl.finished < kFresh;
  impl.wants_summaries = true;
  if (!is_fresh && (!impl.begun || impl.finished)) impl.begin();
  while (!is_fresh && !impl.is_over() && base::now() < until) {
    // Others than those that hang are looked at by one more thread.
    if (impl.threads <= impl.busy_for(kSlow)) impl.start_thread();
    impl.changed.wait_for(lock, milliseconds(50));
  }
  if (!is_fresh) impl.finished = base::now();
  std::vector<StudySummary> all;
  for (const auto& [name, entry] : impl.known) {
    if (impl.hangs(name))
      all.push_back({.name = name, .is_silent = true});
    else if (entry.is_study)
      all.push_back(entry.summary);
  }
  return all;
}

std::optional<base::Path> StudyList::folder_of(const std::string& name, base::Duration patience) {
  Impl& impl = *impl_;
  std::unique_lock lock(impl.mutex);
  const bool was_listed = impl.listed && base::now() - *impl.listed < kFresh;
  if (!impl.known.contains(name) && !was_listed) {
    impl.is_listed = false;
    impl.start_thread();
    impl.changed.wait_for(lock, patience, [&] { return impl.is_listed; });
  }
  if (!impl.known.contains(name)) return std::nullopt;
  return impl.folder / name;
}

}  // namespace hpo::serve
