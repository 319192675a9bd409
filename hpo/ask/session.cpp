#include "hpo/ask/session.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/ask/refusal.h"
#include "hpo/ask/socket.h"
#include "hpo/log/metrics.h"

namespace hpo {

namespace {

constexpr std::size_t kLongestTicket = 200;
constexpr base::JsonRules kRules{.kind = base::Errc::usage, .non_finite = true};

/// What `read` makes of a member of the call; refuses what it cannot read by the member's name.
template <class Read>
auto read_member(std::string_view name, const base::Json& value, std::string_view expected,
                 Read read) {
  try {
    return std::invoke(read, value);
  } catch (const base::Error&) {
    throw refusal(
        base::cat(name, " is ", base::printable(value.raw(), 60), ", expected ", expected));
  }
}

/// `object` has each name once.
void require_own_names(const base::Json& object, std::string_view what) {
  if (const std::string* name = object.repeated_name())
    throw refusal(base::cat(what, " has the member \"", base::printable(*name, 60), "\" twice"));
}

void require_known(const base::Json& message, std::span<const std::string> known) {
  require_own_names(message, "the call");
  for (const auto& [name, value] : message.members()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw refusal(base::cat("unknown member \"", base::printable(name, 60), "\" of the call ",
                            message.at("call").text(), base::did_you_mean(name, known)));
  }
}

std::uint64_t trial_of(const base::Json& message) {
  const base::Json* trial = message.find("trial");
  if (trial == nullptr) throw refusal("the member trial is missing, expected the trial's number");
  const std::int64_t number = read_member("trial", *trial, "its number", &base::Json::integer);
  if (number < 0)
    throw refusal(base::cat("trial is ", number, ", expected a number of at least 0"));
  return static_cast<std::uint64_t>(number);
}

TrialState state_of(const base::Json& message) {
  const base::Json* said = message.find("state");
  if (said == nullptr) return TrialState::complete;
  const std::string word = read_member("state", *said, "a string", &base::Json::text);
  for (const TrialState state : {TrialState::complete, TrialState::stopped, TrialState::failed})
    if (word == name_of(state)) return state;
  throw refusal(base::cat("state is \"", base::printable(word, 60),
                          "\", expected complete, stopped or failed"));
}

constexpr std::int64_t kLastStep = std::int64_t{1} << 53;

/// Of the study's own metrics, in its order.
std::vector<double> values_of(const base::Json& message, std::size_t metrics) {
  const base::Json* value = message.find("value");
  const base::Json* values = message.find("values");
  if (value != nullptr && values != nullptr)
    throw refusal("value and values cannot be used together");
  std::vector<double> numbers;
  if (value != nullptr && !value->is_null())
    numbers.push_back(read_member("value", *value, "a number", &base::Json::number));
  if (values == nullptr) return numbers;
  if (!values->is_list())
    throw refusal(base::cat("values is ", base::printable(values->raw(), 60),
                            ", expected a list with a number for each metric of the study"));
  for (const auto& [none, one] : values->members())
    numbers.push_back(read_member("one of values", one, "a number", &base::Json::number));
  if (numbers.size() != metrics)
    throw refusal(base::cat(base::counted(numbers.size(), "value"), ", expected ", metrics,
                            ", one for each metric of the study"));
  return numbers;
}

Told told_of(const base::Json& message, const StudySpec& study) {
  Told told;
  if (const base::Json* step = message.find("step"))
    told.step = read_member("step", *step, "a whole number", &base::Json::integer);
  const std::vector<double> values = values_of(message, 1 + study.others.size());
  if (told.step && *told.step > kLastStep)
    throw refusal(base::cat("step is ", *told.step, ", expected at most ", kLastStep));
  if (const base::Json* metrics = message.find("metrics")) {
    told.metrics = read_member("metrics", *metrics, "an object with a number for each name",
                               [](const base::Json& value) { return metrics_from_json(value); });
    std::set<std::string_view> names;
    for (const auto& [name, number] : told.metrics) {
      if (name.empty() || !names.insert(name).second)
        throw refusal("metrics: expected an object with a different name for each number");
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& name = i == 0 ? study.metric.name : study.others[i - 1].name;
    if (const double* named = find_metric(told.metrics, name);
        named != nullptr && !same_number(*named, values[i]))
      throw refusal(base::cat(name, " has two different values in this call"));
    put_metric(told.metrics, name, values[i]);
  }
  if (const base::Json* reason = message.find("message"))
    told.message = read_member("message", *reason, "a string", &base::Json::text);
  return told;
}

std::string ticket_of(const base::Json& message) {
  const base::Json* ticket = message.find("ticket");
  std::string name;
  if (ticket != nullptr) name = read_member("ticket", *ticket, "a string", &base::Json::text);
  if (name.size() > kLongestTicket)
    throw refusal(
        base::cat("a ticket of ", name.size(), " bytes, expected at most ", kLongestTicket));
  return name;
}

/// Empty: none are said.
Params params_of(const base::Json& message) {
  const base::Json* params = message.find("params");
  if (params == nullptr) return {};
  Params read =
      read_member("params", *params, "an object with a bool, a number or a string for each name",
                  [](const base::Json& value) { return params_from_json(value.raw()); });
  require_own_names(*params, "params");
  return read;
}

std::string ask(AskedStudy& study, const base::Json& message) {
  static const std::vector<std::string> kKnown{"call", "ticket", "params"};
  require_known(message, kKnown);
  const Handout handout = study.ask(ticket_of(message), params_of(message));
  base::JsonWriter json;
  json.begin_object().field("trial", handout.trial);
  if (handout.trial) {
    json.key("params").raw(json_of(handout.params));
  } else {
    json.field("over", handout.over);
  }
  json.end_object();
  return std::move(json).text();
}

std::string enqueue(AskedStudy& study, const base::Json& message) {
  static const std::vector<std::string> kKnown{"call", "ticket", "params"};
  require_known(message, kKnown);
  const Params params = params_of(message);
  if (params.empty())
    throw refusal("the member params is missing or empty, expected values of parameters");
  const auto over = study.enqueue(params, ticket_of(message));
  base::JsonWriter json;
  json.begin_object();
  over ? json.key("waiting").null().field("over", *over) : json.field("waiting", study.waiting());
  json.end_object();
  return std::move(json).text();
}

std::string report(AskedStudy& study, const base::Json& message) {
  static const std::vector<std::string> kKnown{"call",  "trial",  "step",
                                               "value", "values", "metrics"};
  require_known(message, kKnown);
  const std::uint64_t trial = trial_of(message);
  const Decision decision = study.report(trial, told_of(message, study.study()));
  base::JsonWriter json;
  json.begin_object()
      .field("trial", trial)
      .field("word", decision == Decision::stop ? "stop" : "go");
  json.end_object();
  return std::move(json).text();
}

std::string tell(AskedStudy& study, const base::Json& message) {
  static const std::vector<std::string> kKnown{"call",   "trial",   "step",  "value",
                                               "values", "metrics", "state", "message"};
  require_known(message, kKnown);
  const std::uint64_t trial = trial_of(message);
  Told told = told_of(message, study.study());
  told.state = state_of(message);
  const Standing standing = study.tell(trial, told);
  base::JsonWriter json;
  json.begin_object().field("trial", trial).field("state", name_of(standing.state));
  json.field("value", standing.value).end_object();
  return std::move(json).text();
}

std::string answer_to(AskedStudy& study, const base::Json& message) {
  static const std::vector<std::string> kCalls{"ask", "report", "tell", "enqueue"};
  const base::Json* call = message.find("call");
  if (call == nullptr)
    throw refusal("the member call is missing, expected ask, enqueue, report or tell");
  const std::string name = read_member("call", *call, "a string", &base::Json::text);
  if (name == kCalls[0]) return ask(study, message);
  if (name == kCalls[1]) return report(study, message);
  if (name == kCalls[2]) return tell(study, message);
  if (name == kCalls[3]) return enqueue(study, message);
  throw refusal(base::cat("unknown call \"", base::printable(name, 60),
                          "\", expected ask, enqueue, report or tell",
                          base::did_you_mean(name, kCalls)));
}

/// The message of a line that asks for a trial.
std::optional<base::Json> asking(std::string_view line) {
  try {
    base::Json message = base::Json::parse(line, kRules);
    const base::Json* call = message.find("call");
    if (call != nullptr && call->text() == "ask") return message;
  } catch (const base::Error&) {
    // What such a line is refused for, its answer says.
  }
  return std::nullopt;
}

}  // namespace

std::string ask_greeting(const StudySpec& study) {
  base::JsonWriter json;
  const auto write = [&](const Metric& metric) {
    json.begin_object().field("name", metric.name);
    json.field("goal", metric.goal == Goal::maximize ? "maximize" : "minimize").end_object();
  };
  json.begin_object().field("trellis", TRELLIS_VERSION).field("protocol", kAskProtocol);
  json.field("study", study.name).key("metrics").begin_array();
  write(study.metric);
  for (const Metric& other : study.others) write(other);
  json.end_array().end_object();
  return std::move(json).text();
}

bool is_asking(std::string_view line) { return asking(line).has_value(); }

bool ask_waits(const AskedStudy& study, std::string_view line, bool others) {
  const std::optional<base::Json> message = asking(line);
  if (!message) return false;
  try {
    return others || study.waits(ticket_of(*message));
  } catch (const base::Error&) {
    return false;
  }
}

std::string ask_answer(AskedStudy& study, std::string_view line) {
  try {
    return answer_to(study, base::Json::parse(line, kRules));
  } catch (const base::Error& error) {
    base::JsonWriter json;
    json.begin_object().field("error", error.what());
    // What does not parse is the caller's mistake, whatever the reader of the log calls it.
    json.field("kind", base::errc_name(base::Errc::usage)).end_object();
    return std::move(json).text();
  }
}

}  // namespace hpo
