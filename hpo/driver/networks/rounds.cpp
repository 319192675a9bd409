#include "hpo/driver/networks/rounds.h"

#include "base/error.h"
#include "base/text.h"
#include "nn/adapt/operation_json.h"

namespace hpo {

namespace {

nn::Operations operations_of(const Tried& tried) {
  try {
    return nn::operations_from_json(tried.operations);
  } catch (const base::Error& error) {
    throw base::Error(base::Errc::storage, base::cat("a round of the log: ", error.what()));
  }
}

Tried tried_of(const nn::Candidate& candidate) {
  return {.operations = nn::json_of(candidate.operations),
          .change = nn::describe(candidate.operations),
          .shape = candidate.shape,
          .weights = candidate.weights,
          .inference_flops = static_cast<double>(candidate.inference_flops),
          .cost = candidate.cost,
          .flops = candidate.flops,
          .train_loss = candidate.train_loss,
          .loss = candidate.loss,
          .accuracy = candidate.accuracy,
          .pull = candidate.pull,
          .gain = candidate.gain,
          .gain_error = candidate.gain_error,
          .accepted = candidate.accepted,
          .why = candidate.why};
}

nn::Candidate candidate_of(const Tried& tried) {
  return {.operations = operations_of(tried),
          .shape = tried.shape,
          .weights = tried.weights,
          .inference_flops = static_cast<std::uint64_t>(tried.inference_flops),
          .cost = tried.cost,
          .flops = tried.flops,
          .train_loss = tried.train_loss,
          .loss = tried.loss,
          .accuracy = tried.accuracy,
          .pull = tried.pull,
          .gain = tried.gain,
          .gain_error = tried.gain_error,
          .accepted = tried.accepted,
          .why = tried.why};
}

}  // namespace

Adapted event_of(const nn::Round& round, std::int64_t grid, std::int64_t fold) {
  Adapted event{.grid = grid,
                .from = round.from,
                .until = round.until,
                .rows = round.rows,
                .fold = fold,
                .candidates = {}};
  for (const nn::Candidate& candidate : round.candidates)
    event.candidates.push_back(tried_of(candidate));
  return event;
}

nn::Round round_of(const Adapted& event) {
  nn::Round round{.from = event.from, .until = event.until, .rows = event.rows, .candidates = {}};
  for (const Tried& tried : event.candidates) round.candidates.push_back(candidate_of(tried));
  return round;
}

}  // namespace hpo
