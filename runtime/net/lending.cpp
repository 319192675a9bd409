#include "runtime/net/lending.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rt::net {

namespace {

/// Deals the free workers of all lenders to one borrower after the other.
class Dealer {
 public:
  Dealer(std::span<const Lender> lenders, std::span<const Loan> now, const Refuses& refuses)
      : now_(now), refuses_(refuses) {
    for (const Lender& lender : lenders) free_[lender.agent] += lender.free;
    left_ = free_;
  }

  [[nodiscard]] std::size_t held(const Borrower& borrower) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(now_, [&](const Loan& loan) { return is_of(loan, borrower); }));
  }

  /// Of `others` more borrowers each is to get as much.
  void deal(const Borrower& borrower, std::size_t others) {
    const auto home = free_.find(borrower.agent);
    const std::uint32_t own = home != free_.end() ? home->second : 0;
    const std::uint32_t needed = std::max(borrower.least, own + 1);
    const std::uint32_t reach = std::min(borrower.most, in_reach(borrower));
    if (reach < needed) return;
    const auto shares = static_cast<std::uint32_t>(others + 1);
    const std::uint32_t even = (in_reach(borrower) + shares - 1) / shares;
    std::uint32_t count = std::min(reach, std::max(even, needed));
    for (const Loan& loan : now_)
      if (count > 0 && is_of(loan, borrower) && take(loan.lender, borrower)) --count;
    while (count > 0 && take(best_for(borrower), borrower)) --count;
  }

  [[nodiscard]] std::vector<Loan> loans() && { return std::move(loans_); }

 private:
  [[nodiscard]] static bool is_of(const Loan& loan, const Borrower& borrower) {
    return loan.borrower == borrower.agent && loan.wish == borrower.wish;
  }
  [[nodiscard]] bool may_lend(std::uint32_t lender, const Borrower& borrower) const {
    return !refuses_ || !refuses_(lender, borrower.agent);
  }
  [[nodiscard]] std::uint32_t in_reach(const Borrower& borrower) const {
    std::uint32_t all = 0;
    for (const auto& [agent, left] : left_)
      if (may_lend(agent, borrower)) all += left;
    return all;
  }
  /// 0: none.
  [[nodiscard]] std::uint32_t best_for(const Borrower& borrower) const {
    std::uint32_t best = 0;
    std::tuple<bool, std::uint32_t> best_rank;
    for (const auto& [agent, left] : left_) {
      const std::tuple rank(agent != borrower.agent, left);
      if (left == 0 || !may_lend(agent, borrower) || (best != 0 && rank <= best_rank)) continue;
      std::tie(best, best_rank) = std::tuple(agent, rank);
    }
    return best;
  }
  bool take(std::uint32_t lender, const Borrower& borrower) {
    const auto at = left_.find(lender);
    if (at == left_.end() || at->second == 0 || !may_lend(lender, borrower)) return false;
    --at->second;
    loans_.push_back({lender, borrower.agent, borrower.wish});
    return true;
  }

  std::span<const Loan> now_;
  const Refuses& refuses_;
  std::map<std::uint32_t, std::uint32_t> free_, left_;
  std::vector<Loan> loans_;
};

}  // namespace

std::vector<Loan> loans_for(std::span<const Lender> lenders, std::span<const Borrower> borrowers,
                            std::span<const Loan> now, const Refuses& refuses) {
  Dealer dealer(lenders, now, refuses);
  std::vector<std::pair<std::size_t, const Borrower*>> order;
  for (const Borrower& borrower : borrowers) order.emplace_back(dealer.held(borrower), &borrower);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const auto& one) { return one.first; });
  for (std::size_t i = 0; i < order.size(); ++i)
    dealer.deal(*order[i].second, order.size() - i - 1);
  return std::move(dealer).loans();
}

}  // namespace rt::net
