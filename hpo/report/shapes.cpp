// Of networks that change their size: what was tried, and what became of it.

#include <algorithm>
#include <cmath>
#include <variant>

#include "base/text.h"
#include "base/words.h"
#include "hpo/report/html.h"
#include "hpo/report/networks.h"
#include "hpo/report/section.h"

namespace hpo::report {

namespace {

/// Rounds that the table shows; the last ones, which say where the network ended.
constexpr std::size_t kRoundRows = 24;

std::string rounds_table(const Gathered& study, const std::vector<const Adapted*>& rounds) {
  Table table({"epoch", "shape", "change", "why", "tried", "FLOPs a row"}, 4);
  const std::size_t from = rounds.size() > kRoundRows ? rounds.size() - kRoundRows : 0;
  for (std::size_t i = from; i < rounds.size(); ++i) {
    const Adapted& round = *rounds[i];
    const Tried& kept = round.accepted();
    const double epoch = static_cast<double>(round.from) / static_cast<double>(round.grid);
    const std::string when =
        base::cat(number(epoch), round.fold > 0 ? base::cat(", fold ", round.fold) : std::string());
    table.row({when, Cell::whole(visible(kept.shape, 200)), Cell::whole(visible(kept.change, 200)),
               Cell::whole(visible(study.hidden(kept.why), 300)),
               std::to_string(round.candidates.size()), flops(kept.inference_flops)});
  }
  std::string out = table.html();
  if (from > 0)
    out = paragraph(base::cat("The last ", kRoundRows, " of ", rounds.size(), ".")) + out;
  return out;
}

}  // namespace

std::optional<Section> shapes_section(const Gathered& study) {
  std::size_t all = 0, candidates = 0;
  for (const Turn& turn : study.turns) {
    const auto* round = std::get_if<Adapted>(&turn.body);
    if (round == nullptr) continue;
    ++all;
    candidates += round->candidates.size();
  }
  if (all == 0) return std::nullopt;
  Section section{.id = "shapes", .title = "Shapes"};
  section.lead = base::cat("All networks together went through ", base::counted(all, "round"),
                           " with ", base::counted(candidates, "candidate"), ".");
  const std::vector<const Adapted*> rounds = rounds_of_best(study);
  if (rounds.empty()) {
    section.heading =
        base::cat("Networks changed their shape in ", base::counted(all, "round"), ".");
    return section;
  }
  section.heading =
      base::cat("The winner's network became ", visible(rounds.back()->accepted().shape, 80),
                " in ", base::counted(rounds.size(), "round"), ".");
  const bool measured = std::ranges::any_of(rounds, [](const Adapted* round) {
    return std::ranges::any_of(round->candidates, [](const Tried& tried) {
      return tried.inference_flops > 0 && !(std::isnan(tried.accuracy) && std::isnan(tried.loss));
    });
  });
  if (measured) section.body = picture("candidates", section.heading);
  section.body += rounds_table(study, rounds);
  return section;
}

}  // namespace hpo::report
