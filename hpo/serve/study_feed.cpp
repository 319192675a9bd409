#include "hpo/serve/study_feed.h"

#include <sys/stat.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "hpo/log/study_reader.h"

namespace hpo::serve {

namespace {

using std::chrono::milliseconds;

/// How often the log of a study that is followed is looked at. A look costs microseconds, and a
/// commit is to be on the screen within 100 ms.
constexpr base::Duration kLook = milliseconds(30);
/// The same of one that has just moved: a study that commits without pause is not to pay for each.
constexpr base::Duration kLookWhileMoving = milliseconds(60);
/// How often its state is: whether a driver runs it, whether the file is still the same.
constexpr base::Duration kLookAtState = milliseconds(1000);
/// A new page is made at most so often, and where it costs much only as often as keeps this thread
/// idle for the rest of the time.
constexpr base::Duration kPageRest = milliseconds(500);
constexpr int kPageShare = 200;
/// A reload in the meantime gets a page that is older by at most so many times what it cost.
constexpr int kReloadShare = 10;
/// More events than these are told by a page.
constexpr std::int64_t kMostEvents = 5000;
/// Pieces that are kept for streams that are a little behind; others read what they missed anew.
constexpr std::size_t kKeptPieces = 64;

/// Questions that wait for a folder that hangs.
constexpr std::size_t kMostTasks = 64;

struct Piece {
  std::int64_t from = 0, to = 0;
  std::shared_ptr<const std::string> text;
};

std::string event_text(std::string_view kind, std::string_view data, std::int64_t position) {
  return base::cat("event: ", kind, "\nid: ", position, "\ndata: ", data, "\n\n");
}

std::int64_t inode_of(const base::Path& file) {
  struct stat info {};
  return ::stat(file.c_str(), &info) == 0 ? static_cast<std::int64_t>(info.st_ino) : -1;
}

}  // namespace

/// Lives as long as its thread, which may hang.
struct StudyFeed::Impl : std::enable_shared_from_this<StudyFeed::Impl> {
  // Set once.
  base::Path folder;
  ReportOptions options;
  LivePlace place;

  // Of the thread alone.
  std::optional<StudyReader> reader;
  std::int64_t inode = 0;
  std::optional<Objective> objective;
  std::optional<report::Places> places;  ///< known with the first page
  bool is_stale = true;                  ///< the log is newer than the page
  StudyState state = StudyState::interrupted;
  base::Moment next_look, next_look_at_state, next_page;
  base::Moment page_made;
  base::Duration page_cost{};

  // Of all, under the mutex.
  mutable std::mutex mutex;
  std::condition_variable work, news;
  std::deque<std::function<void()>> tasks;
  std::int64_t position = -1;  ///< up to where the pieces go; -1: nobody has looked yet
  std::uint64_t pages = 0;     ///< made because something changed
  std::deque<Piece> pieces;
  Page page;
  int followers = 0, waiting = 0;
  bool closing = false, has_ended = false;

  void run();
  void open();
  void look();
  void look_at_state();
  void read_on();
  [[nodiscard]] Piece piece_behind(std::int64_t from);
  [[nodiscard]] std::string changes_behind(std::unique_lock<std::mutex>& lock, Sent& sent,
                                           base::Duration patience);
  void make_page();
  void give_up();
  template <class Result>
  std::optional<Result> ask(std::function<Result()> what, base::Duration patience);
};

void StudyFeed::Impl::run() {
  std::unique_lock lock(mutex);
  while (!closing) {
    const auto ready = [&] { return closing || !tasks.empty(); };
    if (followers > 0) {
      const base::Duration rest = std::max(next_look - base::now(), base::Duration{});
      work.wait_for(lock, rest, ready);
    } else {
      work.wait(lock, [&] { return ready() || followers > 0; });
    }
    std::deque<std::function<void()>> todo = std::exchange(tasks, {});
    const bool followed = followers > 0;
    if (closing) break;
    lock.unlock();
    for (const auto& task : todo) task();
    if (followed && base::now() >= next_look) look();
    lock.lock();
  }
  reader.reset();
  has_ended = true;
  news.notify_all();
}

void StudyFeed::Impl::open() {
  if (reader) return;
  inode = inode_of(folder / "study.db");
  reader.emplace(folder);
  objective = reader->objective();
  state = reader->info().state;
  is_stale = true;
}

void StudyFeed::Impl::look() {
  bool has_moved = false;
  try {
    open();
    const base::Moment begun = base::now();
    has_moved = reader->moved();
    if (has_moved) {
      read_on();
      is_stale = true;
    }
    if (begun >= next_look_at_state) look_at_state();
    if (is_stale && base::now() >= next_page) {
      make_page();
      const std::lock_guard lock(mutex);
      ++pages;
      news.notify_all();
    }
  } catch (const base::Error&) {
    give_up();
    next_look = base::now() + kLookAtState;
    return;
  }
  next_look = base::now() + (has_moved ? kLookWhileMoving : kLook);
}

void StudyFeed::Impl::look_at_state() {
  next_look_at_state = base::now() + kLookAtState;
  if (inode_of(folder / "study.db") != inode) {
    reader.reset();
    open();
  }
  const StudyState now = reader->info().state;
  if (now == state) return;
  state = now;
  is_stale = true;
  next_page = base::now();  // its last words are not to wait
}

void StudyFeed::Impl::read_on() {
  const std::int64_t newest = reader->position();
  std::int64_t from = 0;
  {
    const std::lock_guard lock(mutex);
    from = position;
  }
  if (newest == from) return;
  Piece piece;
  // A log that is shorter than it was is another one.
  const bool is_new = from < 0 || newest < from || newest - from > kMostEvents;
  if (!is_new) piece = piece_behind(from);
  const std::lock_guard lock(mutex);
  position = is_new ? newest : piece.to;
  if (is_new) {
    pieces.clear();
    if (from >= 0) next_page = base::now();
  } else {
    pieces.push_back(std::move(piece));
    if (pieces.size() > kKeptPieces) pieces.pop_front();
  }
  news.notify_all();
}

Piece StudyFeed::Impl::piece_behind(std::int64_t from) {
  if (!places) make_page();
  const Changes changes = reader->changes_since(from);
  const std::string json = json_of_changes(changes, *objective, *places);
  return {
      .from = from,
      .to = changes.position,
      .text = std::make_shared<const std::string>(event_text("changes", json, changes.position))};
}

void StudyFeed::Impl::make_page() {
  const base::Moment begun = base::now();
  LivePage made = live_page(*reader, options, place);
  places = std::move(made.places);
  page_made = base::now();
  page_cost = page_made - begun;
  is_stale = false;
  next_page = page_made + std::max(kPageRest, kPageShare * page_cost);
  const std::lock_guard lock(mutex);
  page = {.state = FeedState::good,
          .html = std::make_shared<const std::string>(std::move(made.html))};
}

void StudyFeed::Impl::give_up() {
  reader.reset();
  const bool is_there = base::file_size(folder / "study.db").has_value();
  const std::lock_guard lock(mutex);
  page = {.state = is_there ? FeedState::broken : FeedState::absent};
}

/// Lets the thread do it and waits for the result; nothing where that takes too long.
template <class Result>
std::optional<Result> StudyFeed::Impl::ask(std::function<Result()> what, base::Duration patience) {
  auto result = std::make_shared<std::optional<Result>>();
  std::unique_lock lock(mutex);
  if (tasks.size() >= kMostTasks) return std::nullopt;
  ++waiting;
  tasks.push_back([self = shared_from_this(), result, what = std::move(what)] {
    std::optional<Result> made = what();
    const std::lock_guard inner(self->mutex);
    *result = std::move(made);
    self->news.notify_all();
  });
  work.notify_all();
  news.wait_for(lock, patience, [&] { return result->has_value() || closing; });
  --waiting;
  return *result;
}

StudyFeed::StudyFeed(base::Path folder, ReportOptions options, LivePlace place)
    : impl_(std::make_shared<Impl>()) {
  impl_->folder = std::move(folder);
  impl_->options = std::move(options);
  impl_->place = std::move(place);
  std::thread([impl = impl_] { impl->run(); }).detach();
}

StudyFeed::~StudyFeed() {
  std::unique_lock lock(impl_->mutex);
  impl_->closing = true;
  impl_->work.notify_all();
  impl_->news.notify_all();
  impl_->news.wait_for(lock, milliseconds(500), [&] { return impl_->has_ended; });
}

StudyFeed::Page StudyFeed::page(base::Duration patience) {
  Impl& impl = *impl_;
  std::function<Page()> make = [self = impl_]() -> Page {
    Impl& impl = *self;
    try {
      impl.open();
      if (impl.reader->moved()) {
        impl.read_on();
        impl.is_stale = true;
      }
      if (base::now() >= impl.next_look_at_state) impl.look_at_state();
      const bool is_fresh = impl.page_cost > base::Duration{} &&
                            base::now() < impl.page_made + kReloadShare * impl.page_cost;
      if (impl.page.state != FeedState::good || (impl.is_stale && !is_fresh)) impl.make_page();
    } catch (const base::Error&) {
      impl.give_up();
    }
    const std::lock_guard lock(impl.mutex);
    return impl.page;
  };
  return impl.ask(std::move(make), patience).value_or(Page{});
}

Sent StudyFeed::follow(std::int64_t position) {
  const std::lock_guard lock(impl_->mutex);
  ++impl_->followers;
  impl_->work.notify_all();
  return {.position = position, .pages = impl_->pages};
}

void StudyFeed::unfollow() {
  const std::lock_guard lock(impl_->mutex);
  --impl_->followers;
}

/// Pieces that fit together, or what the stream missed as one piece. Much of it is told by a page.
std::string StudyFeed::Impl::changes_behind(std::unique_lock<std::mutex>& lock, Sent& sent,
                                            base::Duration patience) {
  std::string out;
  const auto next = std::ranges::find(pieces, sent.position, &Piece::from);
  for (auto piece = next; piece != pieces.end(); ++piece) {
    out += *piece->text;
    sent.position = piece->to;
  }
  if (next != pieces.end()) return out;
  const std::int64_t from = sent.position;
  if (from > position || position - from > kMostEvents) {
    sent.position = position;
    return event_text("page", "{}", position);
  }
  lock.unlock();
  std::function<Piece()> read = [self = shared_from_this(), from]() -> Piece {
    try {
      self->open();
      return self->piece_behind(from);
    } catch (const base::Error&) {
      return {};
    }
  };
  const auto missed = ask(std::move(read), patience);
  lock.lock();
  if (!missed || !missed->text) return "";
  sent.position = missed->to;
  return *missed->text;
}

std::string StudyFeed::news(Sent& sent, base::Duration patience) {
  Impl& impl = *impl_;
  std::unique_lock lock(impl.mutex);
  const auto has_moved = [&] { return impl.position >= 0 && impl.position != sent.position; };
  impl.news.wait_for(lock, patience,
                     [&] { return impl.closing || impl.pages != sent.pages || has_moved(); });
  std::string out;
  if (has_moved()) out = impl.changes_behind(lock, sent, patience);
  if (impl.pages != sent.pages) {
    sent.pages = impl.pages;
    out += event_text("page", "{}", sent.position);
  }
  return out;
}

bool StudyFeed::is_used() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->followers > 0 || impl_->waiting > 0;
}

}  // namespace hpo::serve
