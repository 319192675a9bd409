#include "hpo/ask/first_points.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "hpo/driver/adopt.h"

namespace hpo {

namespace {

/// Fact of a study to which points were brought: {"from", "points", "tickets"}, the points of trial
/// `from` and those behind it.
constexpr const char* kPointsFact = "first_points";
constexpr std::size_t kMostWaiting = 10'000;
constexpr std::size_t kTickets = 100;

}  // namespace

FirstPoints::FirstPoints(StudySpec& study, EventLog& log) : study_(study), log_(log) {
  if (const auto text = log.noted(kPointsFact)) {
    const base::Json fact = base::Json::parse(*text);
    study_.try_first.assign(static_cast<std::size_t>(fact.at("from").integer()), Params{});
    for (const auto& [none, point] : fact.at("points").members())
      study_.try_first.push_back(params_from_json(point));
    for (const auto& [none, ticket] : fact.at("tickets").members())
      tickets_.push_back(ticket.text());
  } else if (!study_.try_first.empty()) {
    const auto imported = base::parse_int(log.noted(kImportedFact).value_or("0"));
    study_.try_first.insert(study_.try_first.begin(),
                            static_cast<std::size_t>(imported.value_or(0)), Params{});
  }
}

std::size_t FirstPoints::waiting(std::uint64_t created) const {
  return study_.try_first.size() - std::min<std::size_t>(created, study_.try_first.size());
}

void FirstPoints::reach(std::uint64_t created) {
  if (study_.try_first.size() < created) study_.try_first.resize(created);
}

void FirstPoints::put_next(std::uint64_t created, const Params& point) {
  reach(created);
  study_.try_first.insert(study_.try_first.begin() + static_cast<std::ptrdiff_t>(created), point);
}

void FirstPoints::take_back(std::uint64_t created) {
  study_.try_first.erase(study_.try_first.begin() + static_cast<std::ptrdiff_t>(created));
}

void FirstPoints::note_next(std::uint64_t created) {
  if (waiting(created + 1) > 0) note(created);
}

void FirstPoints::append(std::uint64_t created, const Params& point, const std::string& ticket) {
  if (!ticket.empty() && std::ranges::find(tickets_, ticket) != tickets_.end()) return;
  const std::size_t spoken_for = created + waiting(created);
  if (const auto most = study_.limits.trials; most && spoken_for >= static_cast<std::size_t>(*most))
    throw base::Error(base::Errc::usage,
                      base::cat("all ", *most, " trials are taken; use a larger limits.trials"));
  if (waiting(created) >= kMostWaiting)
    throw base::Error(
        base::Errc::usage,
        base::cat(kMostWaiting,
                  " points are waiting already; ask for trials, which get them, first"));
  reach(created);
  study_.try_first.push_back(point);
  if (!ticket.empty()) tickets_.push_back(ticket);
  if (tickets_.size() > kTickets) tickets_.erase(tickets_.begin());
  note(created);
}

void FirstPoints::note(std::uint64_t from) {
  base::JsonWriter json;
  json.begin_object().field("from", from).key("points").begin_array();
  for (std::size_t i = from; i < study_.try_first.size(); ++i)
    json.raw(json_of(study_.try_first[i]));
  json.end_array().key("tickets").list(tickets_).end_object();
  log_.note(kPointsFact, std::move(json).text());
}

}  // namespace hpo
