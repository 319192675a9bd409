// Of populations: whose networks went on from whom.

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/words.h"
#include "hpo/report/html.h"
#include "hpo/report/networks.h"
#include "hpo/report/section.h"

namespace hpo::report {

std::optional<Section> lineage_section(const Gathered& study) {
  const std::vector<HandOver> all = hand_overs(study);
  if (all.empty()) return std::nullopt;
  Section section{.id = "lineage", .title = "Lineage"};
  std::set<std::uint64_t> takers;
  for (const HandOver& one : all) takers.insert(one.trial);
  section.lead =
      base::cat(base::counted(takers.size(), "trial"), " went on with the network of another one, ",
                base::counted(all.size(), "time"), " in all.");
  if (!study.best) {
    section.heading = "Networks went from trial to trial.";
  } else {
    const std::vector<Descent> descent = descent_of_best(study, all);
    section.heading = descent.size() == 1 ? base::cat("The winner's network was trained by trial ",
                                                      study.best->trial, " alone.")
                                          : base::cat("The winner's network came through trials ",
                                                      base::listed(descent, &Descent::trial), ".");
    if (descent.size() > 1) {
      Table table(
          {study.unit(), "trial", "continues from", "its parameters changed", "and its shape"}, 0);
      for (std::size_t i = 1; i < descent.size(); ++i) {
        const auto one = std::ranges::find_if(all, [&](const HandOver& hand) {
          return hand.trial == descent[i].trial && hand.source == descent[i - 1].trial &&
                 hand.step == descent[i].from;
        });
        if (one == all.end()) continue;
        table.row({std::to_string(one->step), std::to_string(one->trial),
                   std::to_string(one->source), Cell::whole(visible(one->params, 400)),
                   Cell::whole(visible(one->change, 400))});
      }
      section.body = table.html();
    }
  }
  section.body = picture("lineage", section.heading) + section.body;
  return section;
}

}  // namespace hpo::report
