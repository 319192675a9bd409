#include "tasks/members/roster.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace tasks {

namespace {

constexpr base::Duration kRosterLook = std::chrono::milliseconds(100);
/// Looks without a word after which a process is taken for dead: it says one every quarter of a
/// second. Looks are counted, not seconds, so that nobody is silent because this process was
/// stopped.
constexpr int kSilent = 25, kSilentAtStart = 300;
constexpr base::Duration kTwoPulses = std::chrono::milliseconds(600);
/// Processes of a seat that may end, one after the other, without a step of the gang in between.
constexpr int kTries = 5;
constexpr base::Duration kBetweenTries = std::chrono::milliseconds(500);
/// How long those that are asked to leave a training are waited for: they do nothing else.
constexpr base::Duration kLeaving = std::chrono::seconds(2);
/// How long a training waits at its beginning for visitors of the one before.
constexpr base::Duration kForVisitors = std::chrono::milliseconds(500);

}  // namespace

Roster::Roster(int members, std::unique_ptr<Place> place)
    : Roster(members, nullptr, std::move(place)) {}

Roster::Roster(int members, Start start, std::unique_ptr<Place> place)
    : start_(std::move(start)),
      place_(std::move(place)),
      others_(static_cast<std::size_t>(std::max(0, members - 1))) {
  if (start_)
    for (Other& other : others_) this->start(other);
  keeper_ = std::thread([this] { keep(); });
}

Roster::~Roster() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.wake();
  keeper_.join();
  for (Other& other : others_) {
    other.channel.reset();
    other.process.reset();
  }
}

bool Roster::join(StartedMember visitor) {
  {
    const std::lock_guard lock(mutex_);
    const auto free =
        std::ranges::find_if(others_, [](const Other& other) { return !other.channel; });
    if (free == others_.end()) return false;
    seat(*free, std::move(visitor));
  }
  wake_.wake();
  return true;
}

void Roster::start(Other& other) { seat(other, start_(seat_of(other))); }

void Roster::seat(Other& other, StartedMember started) {
  other.process = std::move(started.process);
  other.channel.emplace(std::move(started.channel));
  other.here = other.ready = other.left = other.joins = other.tried = false;
  other.number = -1;
  other.silent_looks = 0;
}

int Roster::seat_of(const Other& other) const {
  return static_cast<int>(&other - others_.data()) + 1;
}

std::string Roster::name_of(const Other& other) const {
  return base::cat("member ", seat_of(other), " of the gang of ", members());
}

// --- what the keeper does: it is the one thread that hears, buries and replaces ---

void Roster::keep() {
  base::Moment last_look = base::now();
  while (true) {
    std::vector<pollfd> watched{{wake_.fd(), POLLIN, 0}};
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return;
      for (const Other& other : others_)
        if (other.channel) watched.push_back({other.channel->fd(), POLLIN, 0});
    }
    const auto rest =
        std::chrono::ceil<std::chrono::milliseconds>(last_look + kRosterLook - base::now());
    (void)::poll(watched.data(), watched.size(),
                 static_cast<int>(std::max<std::int64_t>(0, rest.count())));
    wake_.reset();
    const std::lock_guard lock(mutex_);
    for (Other& other : others_)
      if (other.channel) hear(other);
    if (base::now() - last_look >= kRosterLook) {
      last_look = base::now();
      for (Other& other : others_) look_for_silent(other);
    }
    if (start_) replace_lost();
    changed_.notify_all();
  }
}

void Roster::replace_lost() {
  for (Other& other : others_) {
    if (other.channel || other.tries >= kTries || base::now() < other.start_at) continue;
    try {
      start(other);
    } catch (const base::Error& error) {
      other.start_at = base::now() + kBetweenTries;
      if (++other.tries >= kTries)
        news_.push_back(base::cat(name_of(other), " cannot be replaced: ", error.what()));
    }
  }
}

void Roster::hear(Other& other) {
  Notice notice;
  while (true) {
    switch (other.channel->take(notice)) {
      case Channel::Got::nothing:
        return;
      case Channel::Got::end:
        return bury(other);
      case Channel::Got::notice:
        take(other, notice);
    }
  }
}

void Roster::take(Other& other, const Notice& notice) {
  other.silent_looks = 0;
  other.heard = base::now();
  other.now = notice.use;
  if (!other.here) {
    other.here = true;
    other.came = base::now();
    other.joins = formed_ || !start_;
    visited_ = true;
    other.address = std::string(notice.address.data());
    if (active_) tell_training(other);
  }
  if (notice.training != training_) return;
  if (notice.kind == Notice::Kind::left) other.left = true;
  if (!active_ || notice.kind != Notice::Kind::ready) return;
  // It has left its epoch, and others may not miss it.
  if (other.number >= 0) place_->left(other.number);
  other.ready = other.tried = true;
  other.done = notice.done;
  if (other.number < 0 && (formed_ || !start_)) newcomers_ = true;
}

/// A process that is stopped, or whose machine hangs, ends all the same: then there is one way to
/// be lost.
void Roster::look_for_silent(Other& other) {
  if (!other.channel || ++other.silent_looks < (other.here ? kSilent : kSilentAtStart)) return;
  if (other.process) other.process->kill();
}

void Roster::bury(Other& other) {
  std::string end = "it has left";
  ++other.tries;
  if (other.process) {
    // It has closed its channel, so it ends; one that does not is killed.
    end = other.process->end();
    if (!other.process->may_be_replaced()) other.tries = kTries;
    other.process.reset();
  }
  other.channel.reset();
  other.before = other.before + std::exchange(other.now, {});
  other.start_at = other.tries == 1 ? base::Moment{} : base::now() + kBetweenTries;
  const bool awaited = other.number >= 0 || (active_ && !formed_ && other.here);
  other.here = other.ready = false;
  ++changes_.lost;
  visited_ = std::ranges::any_of(others_, [](const Other& one) { return one.here; });
  const bool gives_up = other.tries >= kTries;
  // A host that cannot be reached says the same each time. Visitors come and go.
  if (start_ && (gives_up || end != other.end))
    news_.push_back(base::cat(
        name_of(other), " is lost: ", end,
        gives_up ? "; the others go on without it" : "; another process takes its place"));
  other.end = end;
  if (awaited && !lost_at_) {
    const bool was_silent = base::now() - other.heard > kTwoPulses;
    lost_at_ = was_silent ? std::max(other.heard, begun_) : base::now();
  }
  if (const int number = std::exchange(other.number, -1); number >= 0) place_->lost(number);
}

void Roster::tell_training(Other& other) {
  const Order order{.kind = Order::Kind::train, .training = training_, .data_number = data_number_};
  (void)other.channel->send(order, files_);
}

// --- what the thread that trains does ---

void Roster::begin(std::uint32_t data_number, std::span<const int> files, int fewest) {
  const std::lock_guard lock(mutex_);
  ++training_;
  data_number_ = data_number;
  files_.assign(files.begin(), files.end());
  fewest_ = fewest;
  active_ = true;
  begun_ = base::now();
  if (lost_at_) lost_at_ = begun_;  // the step that would have followed was none of a training
  formed_ = false;
  newcomers_ = false;
  for (Other& other : others_) {
    other.ready = other.left = false;
    // A visitor comes at any time, and joins the first training that it gets ready for.
    other.joins = other.joins && !start_;
    if (other.here) tell_training(other);
  }
}

void Roster::over() {
  std::unique_lock lock(mutex_);
  if (!active_) return;
  // One that comes from here on hears of the next training, not of this one, which nobody would end
  // for it.
  active_ = false;
  for (const Other& other : others_)
    if (other.here)
      (void)other.channel->send(Order{.kind = Order::Kind::over, .training = training_});
  // Their last words say what they did.
  const auto limit = std::chrono::steady_clock::now() + kLeaving;
  changed_.wait_until(lock, limit, [&] {
    return std::ranges::all_of(others_,
                               [](const Other& other) { return other.number < 0 || other.left; });
  });
  formed_ = false;
  files_.clear();
  newcomers_ = false;
  for (Other& other : others_) other.number = -1;
}

bool Roster::may_come(const Other& other) const {
  return other.channel ? !other.ready : start_ && other.tries < kTries;
}

/// The first training waits for all but visitors, a later one for those that are here, and a step
/// for those that are members and not lost.
bool Roster::all_ready(bool first_time) const {
  if (ready_count() + 1 < fewest_ &&
      std::ranges::any_of(others_, [this](const Other& other) { return may_come(other); }))
    return false;
  return std::ranges::none_of(others_, [&](const Other& other) {
    if (!first_time) return other.number >= 0 && !other.ready;
    // A visitor that has yet to get the data, or that is late, is let in when it is ready.
    if (!start_)
      return other.here && other.tried && !other.ready && base::now() - begun_ < kForVisitors;
    return training_ > 1 ? other.here && !other.ready : may_come(other);
  });
}

int Roster::ready_count() const {
  return static_cast<int>(
      std::ranges::count_if(others_, [](const Other& other) { return other.ready; }));
}

std::optional<Members> Roster::next(std::int64_t done, const nn::StopPredicate& stopping) {
  std::unique_lock lock(mutex_);
  for (const Other& other : others_)
    if (other.number >= 0 && !other.ready)
      (void)other.channel->send(
          Order{.kind = Order::Kind::halt, .training = training_, .epoch = epoch_});
  const auto asked_to_stop = [&] {
    lock.unlock();
    const bool asked = stopping && stopping();
    lock.lock();
    return asked;
  };
  while (!changed_.wait_for(lock, kRosterLook, [&] { return all_ready(!formed_); }))
    if (asked_to_stop()) return std::nullopt;
  if (!start_ && ready_count() == 0) {
    newcomers_ = false;
    return std::nullopt;
  }
  const bool stops = asked_to_stop();
  if (ready_count() + 1 < fewest_)
    throw base::Error(base::Errc::no_device,
                      base::cat("a gang of ", members(), " has lost too many members: ",
                                ready_count() + 1, " are left of ", fewest_, " that it needs"));
  Members made = form(done, stops);
  lock.unlock();
  made.links = place_->enter();
  return made;
}

Members Roster::form(std::int64_t done, bool stopping) {
  ++epoch_;
  formed_ = true;
  newcomers_ = false;
  Order order{.kind = Order::Kind::members, .training = training_};
  order.members = static_cast<std::uint32_t>(ready_count() + 1);
  order.epoch = epoch_;
  order.done = done;
  order.stopping = stopping ? 1 : 0;
  int number = 0;
  for (Other& other : others_) {
    if (!other.ready) continue;
    other.number = ++number;
    if (other.done > order.done) {
      order.done = other.done;
      order.source = static_cast<std::uint32_t>(number);
    }
  }
  if (done < order.done) order.behind.set(0);
  for (const Other& other : others_)
    if (other.ready && other.done < order.done)
      order.behind.set(static_cast<std::size_t>(other.number));
  Members made{.epoch = epoch_,
               .done = order.done,
               .source = static_cast<int>(order.source),
               .behind = {},
               .stopping = stopping,
               .links = {}};
  for (std::size_t i = 0; i < order.members; ++i)
    if (order.behind[i]) made.behind.push_back(static_cast<int>(i));
  send_members(order);
  return made;
}

void Roster::send_members(Order order) {
  std::vector<std::string> addresses;
  for (const Other& other : others_)
    if (other.ready) addresses.push_back(other.address);
  const std::vector<int> files = place_->open(order, std::move(addresses));
  for (Other& other : others_) {
    if (!other.ready) continue;
    other.ready = false;
    order.own = static_cast<std::uint32_t>(other.number);
    // One that is gone will be found dead.
    (void)other.channel->send(order, files);
  }
}

void Roster::stepped() {
  const std::lock_guard lock(mutex_);
  if (const auto lost = std::exchange(lost_at_, std::nullopt))
    changes_.longest_pause = std::max(changes_.longest_pause, base::seconds(base::now() - *lost));
  for (Other& other : others_) {
    if (other.number < 0) continue;
    other.tries = 0;
    if (!std::exchange(other.joins, false)) continue;
    ++changes_.joined;
    changes_.longest_join =
        std::max(changes_.longest_join, base::seconds(base::now() - other.came));
  }
}

bool Roster::leave() {
  over();
  return true;
}

std::vector<MemberUse> Roster::use() const {
  const std::lock_guard lock(mutex_);
  std::vector<MemberUse> all;
  for (const Other& other : others_) all.push_back(other.before + other.now);
  return all;
}

GangChanges Roster::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

std::vector<std::string> Roster::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

}  // namespace tasks
