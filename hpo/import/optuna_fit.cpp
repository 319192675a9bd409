#include "hpo/import/optuna_fit.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "base/text.h"
#include "base/words.h"

namespace hpo {

namespace {

using Rows = OptunaConditions::Rows;

/// Of so many trials the last ones are what the program does now.
constexpr std::size_t kFewestLatest = 5;

std::string of_trials(std::size_t some, std::size_t all) {
  return base::cat(some, " of ", base::counted(all, "trial"));
}

class Fitter {
 public:
  Fitter(std::vector<const OptunaTrial*> trials, std::vector<std::string> order,
         const std::map<std::string, OptunaDomain>& domains)
      : trials_(std::move(trials)), domains_(domains), fit_{.order = std::move(order)} {
    // One that waits, or has hardly begun, says nothing yet.
    std::erase_if(trials_, [](const OptunaTrial* trial) { return is_blank(*trial); });
    all_ = trials_.size();
    for (const OptunaTrial* trial : trials_)
      for (const auto& [name, param] : trial->params) ++having_[name];
  }

  OptunaFit run() {
    while (const std::optional<OptunaConditions> conditions = contradicted()) {
      const auto out = std::ranges::find_if(
          unclear_, [&](const Unclear& param) { return is_left_out(param, *conditions); });
      if (out != unclear_.end())
        leave_out(std::string(out->name));
      else
        take_the_cheapest(*conditions);
    }
    return std::move(fit_);
  }

 private:
  static bool is_blank(const OptunaTrial& trial) { return !trial.ended() && trial.params.empty(); }

  /// A param that exists in some trials, nothing tells in which.
  struct Unclear {
    std::string name;
    Rows with, without;
  };

  /// Finds the conditions, the rarest unclear param first; nothing when all are clear.
  std::optional<OptunaConditions> contradicted() {
    OptunaConditions conditions(trials_, fit_.order, domains_);
    unclear_.clear();
    for (const std::string& name : fit_.order) {
      OptunaCondition condition = conditions.of(name);
      if (!condition.known) {
        Unclear param{.name = name, .with = {}, .without = {}};
        for (const std::size_t row : conditions.telling(name))
          (conditions.has(row, name) ? param.with : param.without).push_back(row);
        unclear_.push_back(std::move(param));
      }
      fit_.conditions.insert_or_assign(name, std::move(condition));
    }
    std::ranges::stable_sort(unclear_, {}, [](const Unclear& param) { return param.with.size(); });
    return unclear_.empty() ? std::nullopt : std::optional(std::move(conditions));
  }

  static bool is_left_out(const Unclear& param, const OptunaConditions& conditions) {
    const std::size_t with = param.with.size(), all = with + param.without.size();
    if (2 * with > all) return false;
    const Rows rows = conditions.telling(param.name);
    const std::size_t latest = std::min(all, std::max(kFewestLatest, all / 10));
    const auto now = static_cast<std::size_t>(
        std::count_if(rows.end() - static_cast<std::ptrdiff_t>(latest), rows.end(),
                      [&](std::size_t row) { return conditions.has(row, param.name); }));
    return now == 0 || (10 * with < all && 2 * now < latest);
  }

  /// Its trials may have gone with another param already that they have as well.
  void leave_out(const std::string& name) {
    const std::size_t with = having_[name];
    fit_.notes.push_back(base::cat("param ", name, ", which ", of_trials(with, all_),
                                   with == 1 ? " has: it stays" : " have: they stay", " behind"));
    for (const OptunaTrial* trial : trials_)
      if (trial->params.contains(name)) fit_.foreign.insert(trial);
    std::erase_if(trials_, [&](const OptunaTrial* trial) { return trial->params.contains(name); });
    std::erase(fit_.order, name);
    fit_.conditions.erase(name);
  }

  void take_the_cheapest(const OptunaConditions& conditions) {
    const Unclear& commonest = unclear_.back();
    const Rows* lost = &commonest.without;
    std::string note =
        base::cat("when ", commonest.name, " exists: no other param tells it, and ",
                  of_trials(lost->size(), all_), lost->size() == 1 ? " lacks" : " lack", " it");
    OptunaConditions::Near best;
    for (const Unclear& param : unclear_) {
      OptunaConditions::Near near = conditions.nearest(param.name);
      // By chance a choice always tells a little.
      const std::size_t told = near.against.size();
      if (near.on.parent.empty() || 2 * told > param.without.size() || told >= lost->size())
        continue;
      best = std::move(near);
      lost = &best.against;
      note = base::cat("when ", param.name, " exists: ", best.on.parent, " tells it, but not in ",
                       of_trials(told, all_));
    }
    fit_.notes.push_back(std::move(note));
    remove(*lost);
  }

  void remove(const Rows& rows) {
    std::vector<const OptunaTrial*> left;
    auto next = rows.begin();
    for (std::size_t row = 0; row < trials_.size(); ++row) {
      if (next != rows.end() && *next == row)
        ++next;
      else
        left.push_back(trials_[row]);
    }
    trials_ = std::move(left);
  }

  std::vector<const OptunaTrial*> trials_;
  const std::map<std::string, OptunaDomain>& domains_;
  std::size_t all_ = 0;
  std::map<std::string, std::size_t> having_;  ///< of all trials, by param
  std::vector<Unclear> unclear_;
  OptunaFit fit_;
};

}  // namespace

OptunaFit fit_space(std::vector<const OptunaTrial*> trials, std::vector<std::string> order,
                    const std::map<std::string, OptunaDomain>& domains) {
  return Fitter(std::move(trials), std::move(order), domains).run();
}

}  // namespace hpo
