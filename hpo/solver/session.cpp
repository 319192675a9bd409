#include "hpo/solver/session.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "hpo/samplers/registry.h"
#include "hpo/solver/field.h"

namespace hpo {

namespace {

constexpr std::string_view kOldPrefix = "kurobako:";

std::string error_reply(std::string_view message) {
  base::JsonWriter json;
  json.begin_object().field("type", "ERROR_REPLY").field("kind", "OTHER");
  json.key("message").value(message).end_object();
  return std::move(json).text();
}

/// None where one of them is missing: the trial cannot be evaluated.
std::vector<double> values_of(const base::Json& trial) {
  const Field values(trial, "values");
  if (values.json().is_null()) return {};
  const auto missing = [](const auto& entry) { return entry.second.is_null(); };
  if (std::ranges::any_of(values.list(), missing)) return {};
  return values.numbers();
}

}  // namespace

SolverSession::SolverSession(SolverMethod method) : method_(std::move(method)) {
  check_method(method_);
}

std::string SolverSession::greeting() const {
  base::JsonWriter json;
  json.begin_object().field("type", "SOLVER_SPEC_CAST").key("spec").begin_object();
  const std::string name =
      base::cat("Trellis ", method_.sampler, method_.rule == "none" ? "" : " with ",
                method_.rule == "none" ? "" : method_.rule);
  json.field("name", name).key("attrs").begin_object().end_object();
  json.key("capabilities").begin_array();
  for (const char* capability :
       {"UNIFORM_CONTINUOUS", "UNIFORM_DISCRETE", "LOG_UNIFORM_CONTINUOUS", "LOG_UNIFORM_DISCRETE",
        "CATEGORICAL", "CONDITIONAL", "CONCURRENT"}) {
    json.value(capability);
  }
  if (searches_several(method_.sampler) && method_.rule == "none") json.value("MULTI_OBJECTIVE");
  json.end_array().end_object().end_object();
  return std::move(json).text();
}

std::optional<std::string> SolverSession::answer(std::string_view line) {
  if (line.starts_with(kOldPrefix)) line.remove_prefix(kOldPrefix.size());
  try {
    return answer_to(base::Json::parse(line, {.kind = base::Errc::usage}));
  } catch (const base::Error& error) {
    return error_reply(error.what());
  }
}

std::optional<std::string> SolverSession::answer_to(const base::Json& message) {
  const std::string type = Field(message, "type").text();
  if (type == "ASK_CALL") return ask(message);
  if (type == "TELL_CALL") return tell(message);
  if (type == "CREATE_SOLVER_CAST") {
    create(message);
  } else if (type == "DROP_SOLVER_CAST") {
    solvers_.erase(Field(message, "solver_id").id());
  } else {
    throw base::Error(base::Errc::usage,
                      base::cat("message '", base::printable(type, 60),
                                "' is unknown, expected CREATE_SOLVER_CAST, ASK_CALL, "
                                "TELL_CALL or DROP_SOLVER_CAST"));
  }
  return std::nullopt;
}

void SolverSession::create(const base::Json& message) {
  const std::uint64_t id = Field(message, "solver_id").id();
  solvers_.erase(id);
  Slot& slot = solvers_[id];
  try {
    slot.solver.emplace(read_problem(Field(message, "problem").json()),
                        Field(message, "random_seed").id(), method_);
  } catch (const base::Error& error) {
    slot.problem = error.what();
  }
}

Solver& SolverSession::solver_of(const base::Json& message) {
  const std::uint64_t id = Field(message, "solver_id").id();
  const auto found = solvers_.find(id);
  if (found == solvers_.end())
    throw base::Error(base::Errc::usage, base::cat("solver ", id, " was not created"));
  if (!found->second.solver) throw base::Error(base::Errc::usage, found->second.problem);
  return *found->second.solver;
}

std::string SolverSession::ask(const base::Json& message) {
  Solver& solver = solver_of(message);
  const std::uint64_t next = Field(message, "next_trial_id").id();
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
  if (next == kLast)
    throw base::Error(base::Errc::usage,
                      base::cat("next_trial_id is ", next, ", expected a smaller one"));
  const SolverWork work = solver.ask(next);
  base::JsonWriter json;
  json.begin_object().field("type", "ASK_REPLY").key("trial").begin_object();
  json.field("id", work.trial);
  json.key("params").list(work.params);
  json.field("next_step", work.next_step).end_object();
  json.field("next_trial_id", next + (work.fresh ? 1 : 0));
  json.end_object();
  return std::move(json).text();
}

std::string SolverSession::tell(const base::Json& message) {
  Solver& solver = solver_of(message);
  const base::Json& trial = Field(message, "trial").json();
  solver.tell(Field(trial, "id").id(), values_of(trial), Field(trial, "current_step").integer());
  base::JsonWriter json;
  json.begin_object().field("type", "TELL_REPLY").end_object();
  return std::move(json).text();
}

}  // namespace hpo
