// Who lends workers to whom: the dispatcher's rule, without its state.
//
// A worker that has no parcel can be lent to a task of any agent, which then runs on more workers.
// Parcels come first: the dispatcher ends a loan when a parcel needs the worker.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rt::net {

/// An agent and its workers that have no parcel, whether they are lent or not.
struct Lender {
  std::uint32_t agent = 0;
  std::uint32_t free = 0;
};

/// Work of an agent that could use workers of any agents, from `least` on (Wish).
struct Borrower {
  std::uint32_t agent = 0;
  std::uint64_t wish = 0;
  std::uint32_t least = 1, most = 1;
};

/// One worker that is lent.
struct Loan {
  std::uint32_t lender = 0;    ///< agent
  std::uint32_t borrower = 0;  ///< agent
  std::uint64_t wish = 0;
  auto operator<=>(const Loan&) const = default;
};

/// Returns true if an agent is not to lend to another one now.
using Refuses = std::function<bool(std::uint32_t lender, std::uint32_t borrower)>;

/// Returns the loans that are to be. A borrower's own free workers serve it anyway, so a borrower
/// gets more workers than these, or none. Its own are lent last. Workers are dealt evenly, and what
/// is lent `now` stays where it can.
[[nodiscard]] std::vector<Loan> loans_for(std::span<const Lender> lenders,
                                          std::span<const Borrower> borrowers,
                                          std::span<const Loan> now, const Refuses& refuses = {});

}  // namespace rt::net
