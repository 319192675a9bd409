#include "hpo/solver/session.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "hpo/samplers/registry.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

constexpr std::string_view kOldPrefix = "kurobako:";

/// A number of the protocol, which may be larger than a signed one.
std::uint64_t unsigned_of(const Json& json) {
  std::uint64_t number = 0;
  const std::string_view text = json.raw();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw rt::Error(rt::Errc::usage,
                    rt::cat("'", rt::printable(text, 40), "' is no whole number from 0 on"));
  return number;
}

std::string error_reply(std::string_view message) {
  JsonWriter json;
  json.begin_object().field("type", "ERROR_REPLY").field("kind", "OTHER");
  json.key("message").value(message).end_object();
  return std::move(json).text();
}

void write_params(JsonWriter& json, const std::vector<std::optional<double>>& params) {
  json.key("params").begin_array();
  for (const std::optional<double>& value : params) json.value(value);
  json.end_array();
}

}  // namespace

SolverSession::SolverSession(SolverMethod method) : method_(std::move(method)) {
  check_method(method_);
}

std::string SolverSession::greeting() const {
  JsonWriter json;
  json.begin_object().field("type", "SOLVER_SPEC_CAST").key("spec").begin_object();
  const std::string name =
      rt::cat("Trellis ", method_.sampler, method_.rule == "none" ? "" : " with ",
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
    return answer_to(Json::parse(line));
  } catch (const rt::Error& error) {
    return error_reply(error.what());
  }
}

std::optional<std::string> SolverSession::answer_to(const Json& message) {
  const std::string type = message.at("type").text();
  if (type == "ASK_CALL") return ask(message);
  if (type == "TELL_CALL") return tell(message);
  if (type == "CREATE_SOLVER_CAST") {
    create(message);
  } else if (type == "DROP_SOLVER_CAST") {
    solvers_.erase(unsigned_of(message.at("solver_id")));
  } else {
    throw rt::Error(rt::Errc::usage, rt::cat("message '", rt::printable(type, 60),
                                             "' is unknown, expected CREATE_SOLVER_CAST, ASK_CALL, "
                                             "TELL_CALL or DROP_SOLVER_CAST"));
  }
  return std::nullopt;
}

void SolverSession::create(const Json& message) {
  const std::uint64_t id = unsigned_of(message.at("solver_id"));
  solvers_.erase(id);
  Slot& slot = solvers_[id];
  try {
    slot.solver.emplace(read_problem(message.at("problem")), unsigned_of(message.at("random_seed")),
                        method_);
  } catch (const rt::Error& error) {
    slot.problem = error.what();
  }
}

Solver& SolverSession::solver_of(const Json& message) {
  const std::uint64_t id = unsigned_of(message.at("solver_id"));
  const auto found = solvers_.find(id);
  if (found == solvers_.end())
    throw rt::Error(rt::Errc::usage, rt::cat("solver ", id, " was not created"));
  if (!found->second.solver) throw rt::Error(rt::Errc::usage, found->second.problem);
  return *found->second.solver;
}

std::string SolverSession::ask(const Json& message) {
  Solver& solver = solver_of(message);
  const std::uint64_t next = unsigned_of(message.at("next_trial_id"));
  const SolverWork work = solver.ask(next);
  JsonWriter json;
  json.begin_object().field("type", "ASK_REPLY").key("trial").begin_object();
  json.key("id").raw(rt::cat(work.trial));
  write_params(json, work.params);
  json.field("next_step", work.next_step).end_object();
  json.key("next_trial_id").raw(rt::cat(next + (work.fresh ? 1 : 0)));
  json.end_object();
  return std::move(json).text();
}

std::string SolverSession::tell(const Json& message) {
  Solver& solver = solver_of(message);
  const Json& trial = message.at("trial");
  const auto& values = trial.at("values").members();
  const auto missing = [](const auto& entry) { return entry.second.is_null(); };
  std::vector<double> known;
  if (std::ranges::none_of(values, missing))
    for (const auto& [unnamed, value] : values) known.push_back(value.number());
  solver.tell(unsigned_of(trial.at("id")), known, trial.at("current_step").integer());
  JsonWriter json;
  json.begin_object().field("type", "TELL_REPLY").end_object();
  return std::move(json).text();
}

}  // namespace hpo
