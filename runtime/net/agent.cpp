#include "runtime/net/agent.h"

#include <algorithm>
#include <type_traits>

#include "base/error.h"
#include "base/hash.h"

namespace rt::net {

Agent::Agent(Options options, Post& post, Work& work, base::Moment now)
    : options_(std::move(options)),
      post_(post),
      work_(work),
      alone_since_(now),
      knocked_(now + -options_.knock) {}

void Agent::opened(LinkId link, base::Moment now) {
  if (over_ || session_) return post_.close(link);
  link_ = link;
  dialling_ = false;
  knocked_ = now;
  nonce_ = base::Hasher().add("knock").add(options_.seed).add(++knocks_).finish().lo;
  Hello hello = options_.hello;
  hello.nonce = nonce_;
  hello.epoch = seen_;
  post_.send(link, Channel::control, encode_frame({0, 0, 0, std::move(hello)}));
}

void Agent::closed(LinkId link, base::Moment now) {
  if (link_ && link != *link_) return;
  dialling_ = false;
  if (link_) hang_up(now);
}

/// The link is gone, and with it the driver, if there was one.
void Agent::hang_up(base::Moment now) {
  link_.reset();
  if (session_) lose_driver(now);
}

/// Nothing that it was told counts any more. What it keeps stays: another driver may want it.
void Agent::lose_driver(base::Moment now) {
  session_.reset();
  alone_since_ = now;
  cancel_all();
  for (const base::Key& key : std::exchange(incoming_, {}).keys()) work_.arrived(key, nullptr);
  if (leaving_) end(Dismissal::over, {});
}

void Agent::end(Dismissal why, const std::string& text) {
  if (std::exchange(over_, true)) return;
  cancel_all();
  if (link_) post_.close(*link_);
  link_.reset();
  session_.reset();
  work_.dismissed(why, text);
}

void Agent::tick(base::Moment now) {
  if (over_) return;
  if (session_) {
    if (now - session_->heard() <= options_.patience && !session_->broken(now, options_.gap))
      return session_->beat(post_, now, options_.beat);
    post_.close(*link_);
    hang_up(now);
  }
  if (over_) return;
  if (now - alone_since_ > options_.orphan) return end(Dismissal::orphaned, "the driver is gone");
  // A Hello that nobody answered was lost, or the driver is busy.
  const base::Duration wait = link_ ? options_.gap : options_.knock;
  if (dialling_ || now - knocked_ < wait) return;
  if (link_) post_.close(*std::exchange(link_, {}));
  knocked_ = now;
  dialling_ = true;
  work_.dial();
}

void Agent::received(LinkId link, std::span<const std::byte> bytes, base::Moment now) {
  if (over_ || !link_ || link != *link_) return;
  Frame frame;
  try {
    frame = decode_frame(bytes);
  } catch (const base::Error&) {
    post_.close(link);
    return hang_up(now);
  }
  if (frame.agent == 0) return greet(frame, now);
  if (!session_) return;
  for (Message& message : session_->take(std::move(frame), now)) {
    handle(std::move(message));
    if (!session_) return;
  }
}

void Agent::greet(const Frame& frame, base::Moment now) {
  if (const auto* refused = std::get_if<Refused>(&frame.message)) {
    if (refused->why == Unwanted::other_program && refused->nonce == nonce_ && !session_)
      return end(Dismissal::unwanted, refused->text);
    if (refused->why == Unwanted::retired && session_) {
      post_.close(*link_);
      return hang_up(now);
    }
  }
  const auto* welcome = std::get_if<Welcome>(&frame.message);
  if (welcome == nullptr || session_ || welcome->nonce != nonce_ || welcome->agent == 0) return;
  session_.emplace(*link_, welcome->epoch, welcome->agent, now);
  if (welcome->epoch < seen_) {
    session_->send(post_, Fenced{seen_});
    post_.close(*link_);
    return hang_up(now);
  }
  seen_ = welcome->epoch;
  wishes_.clear();
  std::vector<std::pair<base::Key, std::uint64_t>> kept = work_.holds();
  for (std::size_t from = 0; from < kept.size(); from += 4096) {
    const auto begin = kept.begin() + static_cast<std::ptrdiff_t>(from);
    session_->send(post_, Holds{{begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                                    4096, kept.size() - from))}});
  }
  work_.welcomed(welcome->agent, welcome->epoch);
}

void Agent::handle(Message message) {
  std::visit(
      [&](auto& said) {
        using M = std::remove_reference_t<decltype(said)>;
        if constexpr (std::is_same_v<M, Run>) {
          begin(std::move(said.parcel));
        } else if constexpr (std::is_same_v<M, Cancel>) {
          cancel(said.parcel);
          go_if_empty();
        } else if constexpr (std::is_same_v<M, Lend>) {
          if (leaving_) return session_->send(post_, LoanOver{said.loan});
          loans_.insert(said.loan);
          work_.lend(said.loan, std::move(said.terms));
        } else if constexpr (std::is_same_v<M, LoanOver>) {
          if (loans_.erase(said.loan) != 0) work_.take_back(said.loan);
        } else if constexpr (std::is_same_v<M, Drop>) {
          work_.drop(said.keys);
        } else if constexpr (std::is_same_v<M, Ask>) {
          const Blob blob = work_.content(said.key);
          if (!blob) return session_->send(post_, Gone{said.key});
          for (Give& piece : pieces_of(said, *blob)) session_->send(post_, std::move(piece));
        } else if constexpr (std::is_same_v<M, Give>) {
          const base::Key key = said.key;
          Incoming::Step step = incoming_.take(std::move(said));
          if (step.ask) session_->send(post_, *step.ask);
          if (step.wrong) need(key);
          if (step.whole)
            work_.arrived(key, std::make_shared<const base::Bytes>(std::move(*step.whole)));
        } else if constexpr (std::is_same_v<M, Gone>) {
          incoming_.end(said.key);
          work_.arrived(said.key, nullptr);
        } else if constexpr (std::is_same_v<M, Bye>) {
          end(Dismissal::over, {});
        }
      },
      message);
}

void Agent::begin(Parcel parcel) {
  cancel(parcel.id);
  const ParcelId number = ++last_;
  numbers_[parcel.id] = number;
  Open& open = open_[number];
  open.theirs = std::exchange(parcel.id, number);
  const std::size_t calls = parcel.sources.size() + parcel.calls.size();
  for (std::uint32_t i = 0; i < calls; ++i) open.calls.insert(i);
  work_.run(std::move(parcel));
}

void Agent::cancel(ParcelId theirs) {
  const auto at = numbers_.find(theirs);
  if (at == numbers_.end()) return;
  const ParcelId number = at->second;
  numbers_.erase(at);
  open_.erase(number);
  work_.cancel(number);
}

void Agent::cancel_all() {
  numbers_.clear();
  for (const auto& [number, open] : std::exchange(open_, {})) work_.cancel(number);
  take_workers_back();
}

void Agent::take_workers_back() {
  for (const std::uint64_t loan : std::exchange(loans_, {})) work_.take_back(loan);
}

void Agent::ended(ParcelId parcel, std::uint32_t call, base::Key result, Outcome outcome) {
  const auto at = open_.find(parcel);
  if (at == open_.end() || !session_) return;
  Open& open = at->second;
  session_->send(post_, Answer{open.theirs, call, result, std::move(outcome), work_.totals()});
  open.calls.erase(call);
  if (open.calls.empty()) {
    numbers_.erase(open.theirs);
    open_.erase(at);
  }
  go_if_empty();
}

void Agent::tell(ParcelId parcel, std::uint32_t call, base::Key result, std::string text) {
  const auto at = open_.find(parcel);
  if (at == open_.end() || !session_) return;
  session_->send(post_, Told{at->second.theirs, call, result, std::move(text)});
}

void Agent::need(base::Key key) {
  if (!session_) return;
  if (std::optional<Ask> ask = incoming_.begin(key)) session_->send(post_, *ask);
}

void Agent::lost(base::Key key) {
  if (session_) session_->send(post_, Gone{key});
}

void Agent::wish(std::vector<Wish> wishes) {
  if (!session_) return;
  wishes.resize(std::min(wishes.size(), kMostWishes));
  if (wishes == wishes_) return;
  wishes_ = std::move(wishes);
  session_->send(post_, Wishes{wishes_});
}

void Agent::loan_over(std::uint64_t loan) {
  if (loans_.erase(loan) != 0 && session_) session_->send(post_, LoanOver{loan});
}

void Agent::leave(base::Moment now) {
  if (!leaving_) {
    leaving_ = now;
    if (session_ && !over_) session_->send(post_, Leaving{});
    take_workers_back();
  }
  // What takes longer is begun anew elsewhere: schedulers wait for nobody.
  if (now - *leaving_ > options_.leave) cancel_all();
  go_if_empty();
}

void Agent::go_if_empty() {
  if (!leaving_ || over_ || !open_.empty()) return;
  if (session_) session_->send(post_, Bye{});
  end(Dismissal::over, {});
}

}  // namespace rt::net
