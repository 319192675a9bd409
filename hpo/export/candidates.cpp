#include "hpo/export/candidates.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "hpo/export/csv_line.h"
#include "hpo/export/quality.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

std::string measured(double value) { return std::isnan(value) ? "" : rt::format_double(value); }

}  // namespace

void append_candidates(std::vector<CandidateRow>& rows, std::uint64_t trial,
                       std::span<const Adapted> rounds) {
  double spent = 0;
  for (const Adapted& round : rounds) {
    const auto grid = static_cast<double>(round.grid);
    for (const Tried& tried : round.candidates) {
      spent += tried.flops;
      rows.push_back({.trial = trial,
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
    rounds[*event.trial].push_back(std::get<Adapted>(body_of(event.kind, event.payload)));
  }
  std::vector<CandidateRow> rows;
  for (const auto& [trial, of_trial] : rounds) append_candidates(rows, trial, of_trial);
  return rows;
}

std::string candidates_csv(std::span<const CandidateRow> rows) {
  std::string out;
  {
    CsvLine line(out);
    for (const char* name :
         {"trial", "epoch", "epochs", "change", "shape", "weights", "inference_flops", "flops",
          "train_loss", "loss", "accuracy", "cost", "accepted", "why", "operations"})
      line.cell(name);
  }
  for (const CandidateRow& row : rows) {
    const Tried& tried = row.tried;
    CsvLine line(out);
    line.cell(std::to_string(row.trial)).cell(rt::format_double(row.epoch));
    line.cell(rt::format_double(row.epochs)).cell(tried.change).cell(tried.shape);
    line.cell(std::to_string(tried.weights)).cell(rt::format_double(tried.inference_flops));
    line.cell(rt::format_double(tried.flops)).cell(measured(tried.train_loss));
    line.cell(measured(tried.loss)).cell(measured(tried.accuracy));
    line.cell(rt::format_double(tried.cost)).cell(tried.accepted ? "true" : "false");
    line.cell(tried.why).cell(tried.operations);
  }
  return out;
}

std::vector<CandidateRow> front_of(std::span<const CandidateRow> rows) {
  std::vector<CandidateRow> points;
  std::ranges::copy_if(rows, std::back_inserter(points), &is_measured);
  std::ranges::stable_sort(points, [](const CandidateRow& a, const CandidateRow& b) {
    if (a.tried.inference_flops != b.tried.inference_flops)
      return a.tried.inference_flops < b.tried.inference_flops;
    return quality_of(a) > quality_of(b);
  });
  std::vector<CandidateRow> front;
  for (CandidateRow& point : points) {
    if (front.empty() || quality_of(point) > quality_of(front.back()))
      front.push_back(std::move(point));
  }
  return front;
}

std::string front_csv(std::span<const CandidateRow> rows) {
  std::string out;
  {
    CsvLine line(out);
    for (const char* name :
         {"trial", "epoch", "shape", "weights", "inference_flops", "accuracy", "loss"})
      line.cell(name);
  }
  for (const CandidateRow& row : front_of(rows)) {
    CsvLine line(out);
    line.cell(std::to_string(row.trial)).cell(rt::format_double(row.epoch)).cell(row.tried.shape);
    line.cell(std::to_string(row.tried.weights)).cell(rt::format_double(row.tried.inference_flops));
    line.cell(measured(row.tried.accuracy)).cell(measured(row.tried.loss));
  }
  return out;
}

}  // namespace hpo
