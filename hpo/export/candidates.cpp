#include "hpo/export/candidates.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "hpo/export/number_text.h"
#include "nn/data/csv_line.h"

namespace hpo {

void append_candidates(std::vector<CandidateRow>& rows, std::uint64_t trial,
                       std::span<const Adapted> rounds) {
  double spent = 0;
  for (const Adapted& round : rounds) {
    const auto grid = static_cast<double>(round.grid);
    for (const Tried& tried : round.candidates) {
      spent += tried.flops;
      rows.push_back({.trial = trial,
                      .fold = round.fold,
                      .epoch = static_cast<double>(round.from) / grid,
                      .epochs = static_cast<double>(round.until - round.from) / grid,
                      .spent = spent,
                      .tried = tried});
    }
  }
}

std::vector<CandidateRow> candidates_of(const StudyReader& study) {
  std::map<std::uint64_t, std::vector<Adapted>> rounds;
  for (const EventRow& event : study.events()) {
    if (event.kind != "adapted" || !event.trial) continue;
    rounds[*event.trial].push_back(std::get<Adapted>(event.body));
  }
  std::vector<CandidateRow> rows;
  for (const auto& [trial, of_trial] : rounds) append_candidates(rows, trial, of_trial);
  return rows;
}

std::string candidates_csv(std::span<const CandidateRow> rows) {
  const bool folded =
      std::ranges::any_of(rows, [](const CandidateRow& row) { return row.fold > 0; });
  std::string out;
  {
    nn::CsvLine line(out);
    for (const char* name :
         {"trial", "epoch", "epochs", "change", "shape", "weights", "inference_flops", "flops",
          "train_loss", "loss", "accuracy", "cost", "accepted", "why", "operations"})
      line.cell(name);
    if (folded) line.cell("fold");
  }
  for (const CandidateRow& row : rows) {
    const Tried& tried = row.tried;
    nn::CsvLine line(out);
    line.cell(std::to_string(row.trial)).cell(base::format_double(row.epoch));
    line.cell(base::format_double(row.epochs)).cell(tried.change).cell(tried.shape);
    line.cell(std::to_string(tried.weights)).cell(base::format_double(tried.inference_flops));
    line.cell(base::format_double(tried.flops)).cell(measured_text(tried.train_loss));
    line.cell(measured_text(tried.loss)).cell(measured_text(tried.accuracy));
    line.cell(base::format_double(tried.cost)).cell(tried.accepted ? "true" : "false");
    line.cell(tried.why).cell(tried.operations);
    if (folded) line.cell(std::to_string(row.fold));
  }
  return out;
}

}  // namespace hpo
