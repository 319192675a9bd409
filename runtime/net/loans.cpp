// Loans: workers without a parcel that help a task of another agent.
#include <algorithm>

#include "runtime/net/dispatcher.h"

namespace rt::net {

namespace {

/// A worker that was free for a shorter time may get a parcel at once, and what it is lent for
/// takes a moment to begin.
constexpr base::Duration kFreeFor = std::chrono::milliseconds(500);
/// An agent whose loans to another one end by themselves waits for longer each time, unless they
/// lasted.
constexpr base::Duration kLasting = std::chrono::seconds(10);
constexpr base::Duration kFirstPause = std::chrono::seconds(1);
constexpr base::Duration kLongestPause = std::chrono::seconds(60);

}  // namespace

/// Lends, and ends loans, as the rule says.
void Dispatcher::lend(base::Moment now) {
  std::vector<Lender> lenders;
  std::vector<Borrower> borrowers;
  for (const auto& [number, each] : agents_) {
    if (each.view.state != AgentState::working) continue;
    if (each.load < each.view.slots && each.idle >= kFreeFor)
      lenders.push_back({number, each.view.slots - static_cast<std::uint32_t>(each.load)});
    for (const Wish& wish : each.wishes)
      borrowers.push_back({number, wish.number, wish.least, wish.most});
  }
  if (borrowers.empty() && loans_.empty()) return;
  std::vector<Loan> all;
  for (const auto& [id, lent] : loans_) all.push_back(lent.loan);
  std::vector<Loan> wanted =
      loans_for(lenders, borrowers, all, [&](std::uint32_t lender, std::uint32_t borrower) {
        const auto at = pauses_.find({lender, borrower});
        return at != pauses_.end() && now < at->second.until;
      });
  std::vector<std::uint64_t> over;
  for (const auto& [id, lent] : loans_) {
    const auto at = std::ranges::find(wanted, lent.loan);
    if (at == wanted.end())
      over.push_back(id);
    else
      wanted.erase(at);
  }
  for (const std::uint64_t id : over) end_loan(id);
  for (const Loan& loan : wanted) begin_loan(loan, now);
}

void Dispatcher::begin_loan(const Loan& loan, base::Moment now) {
  Agent& lender = *agent(loan.lender);
  const std::vector<Wish>& wishes = agent(loan.borrower)->wishes;
  const auto wish = std::ranges::find(wishes, loan.wish, &Wish::number);
  const std::uint64_t id = ++last_loan_;
  loans_[id] = {loan, now};
  ++lender.view.lent;
  send(lender, Lend{id, wish->terms});
}

void Dispatcher::end_loan(std::uint64_t id) {
  if (Agent* const lender = forget_loan(id)) send(*lender, LoanOver{id});
}

/// Returns the agent whose worker it was; null if that is gone.
Dispatcher::Agent* Dispatcher::forget_loan(std::uint64_t id) {
  const auto at = loans_.find(id);
  Agent* const lender = agent(at->second.loan.lender);
  if (lender != nullptr) --lender->view.lent;
  loans_.erase(at);
  return lender;
}

/// The parcels of an agent need its workers.
void Dispatcher::take_back_workers(Agent& from) {
  while (from.view.lent > 0 && from.load + from.view.lent > from.view.slots) {
    const auto last = std::find_if(loans_.rbegin(), loans_.rend(), [&](const auto& one) {
      return one.second.loan.lender == from.view.number;
    });
    end_loan(last->first);
  }
}

/// An agent lends and borrows nothing any more.
void Dispatcher::end_loans_of(std::uint32_t number) {
  std::vector<std::uint64_t> lent, borrowed;
  for (const auto& [id, each] : loans_) {
    if (each.loan.lender == number)
      lent.push_back(id);
    else if (each.loan.borrower == number)
      borrowed.push_back(id);
  }
  for (const std::uint64_t id : lent) (void)forget_loan(id);
  for (const std::uint64_t id : borrowed) end_loan(id);
}

/// What an agent wishes from now on, in place of what it wished before.
void Dispatcher::take_wishes(Agent& from, Wishes wishes) {
  from.wishes = std::move(wishes.all);
  std::vector<std::uint64_t> over;
  for (const auto& [id, each] : loans_) {
    if (each.loan.borrower == from.view.number &&
        std::ranges::find(from.wishes, each.loan.wish, &Wish::number) == from.wishes.end())
      over.push_back(id);
  }
  for (const std::uint64_t id : over) end_loan(id);
}

/// What an agent lent a worker for has ended there.
void Dispatcher::loan_is_over(const Agent& from, std::uint64_t id, base::Moment now) {
  const auto at = loans_.find(id);
  if (at == loans_.end() || at->second.loan.lender != from.view.number) return;
  const auto [loan, since] = at->second;
  Pause& pause = pauses_[{loan.lender, loan.borrower}];
  pause.length = now - since > kLasting || pause.length == base::Duration{}
                     ? kFirstPause
                     : std::min(2 * pause.length, kLongestPause);
  pause.until = now + pause.length;
  (void)forget_loan(id);
}

}  // namespace rt::net
