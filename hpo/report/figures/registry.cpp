#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/report/figures/figure.h"
#include "hpo/report/figures/figures.h"

namespace hpo::figures {

namespace {

constexpr std::array kFigures{
    Figure{"history", "every trial's value and the best so far", "no trial has a value", false,
           false, draw_history},
    Figure{"confusion", "what the best network took for what", "it has no table of mistakes", false,
           false, draw_confusion},
    Figure{"front", "several metrics against each other",
           "it searches for one metric, or no trial has them all", false, false, draw_front},
    Figure{"hypervolume", "what the front covers, over the trials",
           "it searches for one metric, or no trial is complete", false, false, draw_hypervolume},
    Figure{"importance", "how much each parameter mattered", "too few trials ended with a value",
           false, false, draw_importance},
    Figure{"slices", "every trial along each parameter", "no trial has a value", true, false,
           draw_slices},
    Figure{"parallel", "all parameters together", "no trial has a value", true, false,
           draw_parallel},
    Figure{"pair", "the two most important parameters", "fewer than two parameters mattered", false,
           false, draw_pair},
    Figure{"curves", "every trial's reports", "no trial reported", false, false, draw_curves},
    Figure{"edf", "the share of trials up to each value", "no trial is complete with a value",
           false, false, draw_edf},
    Figure{"lineage", "whose network went on from whom",
           "no trial went on with another one's network", true, false, draw_lineage},
    Figure{"shapes", "what each candidate shape of the best network costs and scores",
           "the best network does not adapt", false, false, draw_shapes},
    Figure{"timeline", "when each trial ran", "its log has no times of trials", true, true,
           draw_timeline},
    Figure{"devices", "how busy each worker was", "its log has no use of workers", true, true,
           draw_devices},
};

}  // namespace

std::span<const Figure> all_figures() { return kFigures; }

const Figure& figure_of(std::string_view name) {
  const auto found = std::ranges::find(kFigures, name, &Figure::name);
  if (found != kFigures.end()) return *found;
  std::vector<std::string> known;
  for (const Figure& figure : kFigures) known.emplace_back(figure.name);
  throw base::Error(
      base::Errc::usage,
      base::cat("--figure: unknown figure '", base::printable(name, 60), "', expected ",
                base::either(known), base::did_you_mean(name, known)));
}

}  // namespace hpo::figures
