#include "hpo/solver/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "hpo/samplers/registry.h"
#include "hpo/stopping/registry.h"

namespace hpo {
namespace {

using Message = nlohmann::json;

Message problem(int steps) {
  return Message::parse(R"({"name": "test", "attrs": {}, "params_domain": [
    {"name": "lr", "range": {"type": "CONTINUOUS", "low": 1e-4, "high": 0.1},
     "distribution": "LOG_UNIFORM", "constraint": null},
    {"name": "layers", "range": {"type": "DISCRETE", "low": 1, "high": 4},
     "distribution": "UNIFORM"},
    {"name": "optimizer", "range": {"type": "CATEGORICAL", "choices": ["sgd", "adam"]},
     "distribution": "UNIFORM"},
    {"name": "momentum", "range": {"type": "CONTINUOUS", "low": 0, "high": 1},
     "distribution": "UNIFORM",
     "constraint": {"lua_script": "return optimizer == \"sgd\""}},
    {"name": "late", "range": {"type": "CONTINUOUS", "low": 0, "high": 1},
     "distribution": "UNIFORM",
     "constraint": {"lua_script": "return optimizer == \"adam\" or layers == 3"}}],
    "values_domain": [{"name": "loss", "range": {"type": "CONTINUOUS"},
                       "distribution": "UNIFORM"}]})")
      .patch(Message::array({{{"op", "add"}, {"path", "/steps"}, {"value", steps}}}));
}

/// A client of the protocol with one session.
class Client {
 public:
  explicit Client(SolverMethod method = {}) : session_(std::move(method)) {}

  std::optional<std::string> say(const Message& message) { return session_.answer(message.dump()); }
  void create(std::uint64_t solver, const Message& what, std::uint64_t seed = 1) {
    EXPECT_FALSE(say({{"type", "CREATE_SOLVER_CAST"},
                      {"solver_id", solver},
                      {"random_seed", seed},
                      {"problem", what}}));
  }
  Message ask(std::uint64_t solver = 0) {
    const Message reply = Message::parse(
        *say({{"type", "ASK_CALL"}, {"solver_id", solver}, {"next_trial_id", next_[solver]}}));
    if (reply["type"] == "ASK_REPLY") next_[solver] = reply["next_trial_id"].get<std::uint64_t>();
    return reply;
  }
  Message tell(std::uint64_t trial, const Message& values, std::int64_t step,
               std::uint64_t solver = 0) {
    return Message::parse(
        *say({{"type", "TELL_CALL"},
              {"solver_id", solver},
              {"trial", {{"id", trial}, {"values", values}, {"current_step", step}}}}));
  }

 private:
  SolverSession session_;
  std::map<std::uint64_t, std::uint64_t> next_;
};

void expect_point(const Message& params) {
  ASSERT_EQ(params.size(), 5U);
  EXPECT_GE(params[0].get<double>(), 1e-4);
  EXPECT_LT(params[0].get<double>(), 0.1);
  EXPECT_TRUE((std::set<double>{1, 2, 3}).contains(params[1].get<double>()));
  EXPECT_TRUE((std::set<double>{0, 1}).contains(params[2].get<double>()));
  EXPECT_EQ(params[3].is_null(), params[2] == 1) << params;
  EXPECT_EQ(params[4].is_null(), params[2] != 1 && params[1] != 3) << params;
}

double loss_of(const Message& params) { return std::abs(std::log10(params[0].get<double>()) + 2); }

TEST(SolverSession, GreetsWithWhatItCanDo) {
  const Message cast = Message::parse(SolverSession({"tpe", "asha"}).greeting());
  EXPECT_EQ(cast["type"], "SOLVER_SPEC_CAST");
  EXPECT_EQ(cast["spec"]["name"], "Trellis tpe with asha");
  const std::set<std::string> can = cast["spec"]["capabilities"];
  EXPECT_TRUE(can.contains("CONDITIONAL") && can.contains("CONCURRENT"));
  EXPECT_FALSE(can.contains("MULTI_OBJECTIVE"));
  const auto takes_several = [](const SolverMethod& method) {
    const Message said = Message::parse(SolverSession(method).greeting());
    return said["spec"]["capabilities"].get<std::set<std::string>>().contains("MULTI_OBJECTIVE");
  };
  EXPECT_TRUE(takes_several({"nsga2", "none"}));
  EXPECT_FALSE(takes_several({"gp", "none"}));
}

Message problem_of_two_values() {
  return problem(1).patch(
      Message::parse(R"([{"op": "add", "path": "/values_domain/0", "value": {}}])"));
}

TEST(SolverSession, SearchesForSeveralValues) {
  for (const base::KindInfo& kind : sampler_kinds()) {
    if (!searches_several(kind.kind) || kind.kind == "grid") continue;
    Client client({kind.kind, "none"});
    client.create(0, problem_of_two_values());
    for (std::uint64_t i = 0; i < 120; ++i) {
      const Message reply = client.ask();
      ASSERT_EQ(reply["type"], "ASK_REPLY") << kind.kind << reply;
      const Message& params = reply["trial"]["params"];
      expect_point(params);
      const Message values = i % 9 == 8 ? Message::array({1.0, nullptr})
                                        : Message::array({loss_of(params), params[1]});
      EXPECT_EQ(client.tell(i, values, 1)["type"], "TELL_REPLY");
    }
  }
}

TEST(SolverSession, SaysWhatCannotBeDoneForSeveralValues) {
  const auto message = [](const SolverMethod& method) {
    Client client(method);
    client.create(0, problem_of_two_values());
    return client.ask().value("message", "");
  };
  EXPECT_EQ(message({"gp", "none"})
                .find("the problem has 2 values, but method gp needs a single one; use one of "
                      "auto, random"),
            0U);
  EXPECT_EQ(message({"tpe", "asha"}),
            "the problem has 2 values, but rule asha looks at a single one; use rule none");
  Client client({"tpe", "none"});
  client.create(0, problem_of_two_values());
  (void)client.ask();
  EXPECT_EQ(client.tell(0, {1.0}, 1).value("message", ""), "the trial has 1 values, expected 2");
}

TEST(SolverSession, EverySamplerProposesPointsOfTheProblem) {
  for (const base::KindInfo& kind : sampler_kinds()) {
    if (kind.kind == "grid" || is_population(kind.kind)) continue;
    Client client({kind.kind, "none"});
    client.create(0, problem(1));
    std::set<std::string> seen;
    for (std::uint64_t i = 0; i < 40; ++i) {
      const Message reply = client.ask();
      ASSERT_EQ(reply["type"], "ASK_REPLY") << kind.kind << reply;
      const Message& trial = reply["trial"];
      EXPECT_EQ(trial["id"], i);
      EXPECT_EQ(trial["next_step"], 1);
      expect_point(trial["params"]);
      seen.insert(trial["params"].dump());
      EXPECT_EQ(client.tell(i, {loss_of(trial["params"])}, 1)["type"], "TELL_REPLY");
    }
    EXPECT_GT(seen.size(), 30U) << kind.kind;
  }
}

/// Whether a rule can be used by its name alone.
bool takes_no_words(const base::KindInfo& kind) {
  return !find_stopping_kind(kind.kind)->combines &&
         std::ranges::all_of(kind.fields,
                             [](const auto& field) { return field.value.has_value(); });
}

/// Runs `trials` new trials to their ends with four open at a time; steps evaluated, and drops.
std::pair<std::int64_t, int> run(Client& client, std::uint64_t trials, std::string* record) {
  std::map<std::uint64_t, std::int64_t> step;
  std::vector<Message> open;
  std::int64_t steps = 0;
  int dropped = 0;
  const auto finish = [&](const Message& trial) {
    const std::uint64_t id = trial["id"];
    const std::int64_t to = trial["next_step"];
    EXPECT_GT(to, step[id]) << "a step is asked for once";
    steps += to - std::exchange(step[id], to);
    client.tell(id, {loss_of(trial["params"]) + 1.0 / static_cast<double>(to)}, to);
  };
  while (step.size() < trials) {
    const Message trial = client.ask()["trial"];
    if (record != nullptr) *record += trial.dump();
    if (trial["next_step"].is_null()) {
      ++dropped;
      continue;
    }
    step.emplace(trial["id"], 0);
    open.push_back(trial);
    if (open.size() < 4) continue;
    finish(open.front());
    open.erase(open.begin());
  }
  return {steps, dropped};
}

TEST(SolverSession, EveryRuleSavesStepsOrNone) {
  for (const base::KindInfo& kind : stopping_kinds()) {
    if (!takes_no_words(kind)) {
      EXPECT_THROW(SolverSession({"random", kind.kind}), base::Error);
      continue;
    }
    Client client({"random", kind.kind});
    client.create(0, problem(27));
    const auto [steps, dropped] = run(client, 80, nullptr);
    EXPECT_LE(steps, 80 * 27) << kind.kind;
    if (kind.kind == "asha") {
      EXPECT_LT(steps, 80 * 27 / 2);
      EXPECT_GT(dropped, 20);
    }
  }
}

TEST(SolverSession, TheSameCallsGetTheSameAnswers) {
  std::string first, second, other;
  for (std::string* record : {&first, &second, &other}) {
    Client client({"tpe", "asha"});
    client.create(0, problem(9), record == &other ? 2 : 1);
    (void)run(client, 60, record);
  }
  EXPECT_EQ(first, second);
  EXPECT_NE(first, other);
}

TEST(SolverSession, SolversDoNotSeeEachOther) {
  Client one, both;
  one.create(7, problem(1));
  both.create(7, problem(1));
  both.create(8, problem(1), 99);
  for (std::uint64_t i = 0; i < 30; ++i) {
    const Message alone = one.ask(7), beside = both.ask(7);
    EXPECT_EQ(alone, beside);
    (void)both.ask(8);
    (void)both.tell(i, {3.0}, 1, 8);
    for (Client* client : {&one, &both})
      (void)client->tell(i, {loss_of(alone["trial"]["params"])}, 1, 7);
  }
  EXPECT_FALSE(both.say({{"type", "DROP_SOLVER_CAST"}, {"solver_id", 8}}));
  EXPECT_EQ(both.ask(8)["type"], "ERROR_REPLY");
}

TEST(SolverSession, AFailedTrialIsNotAskedForAgain) {
  Client client({"tpe", "asha"});
  client.create(0, problem(9));
  EXPECT_EQ(client.ask()["trial"]["id"], 0);
  EXPECT_EQ(client.tell(0, Message::array(), 1)["type"], "TELL_REPLY");
  EXPECT_EQ(client.ask()["trial"]["id"], 1);
  EXPECT_EQ(client.tell(0, {1.0}, 2)["type"], "ERROR_REPLY");
}

std::string refusal(const Message& reply) {
  EXPECT_EQ(reply["type"], "ERROR_REPLY") << reply;
  return reply.value("message", "");
}

TEST(SolverSession, SaysWhatIsWrongWithAProblem) {
  const auto changed = [](const char* patch) { return problem(1).patch(Message::parse(patch)); };
  const std::pair<Message, const char*> cases[] = {
      {changed(R"([{"op": "replace", "path": "/params_domain/1/range/high", "value": 1}])"),
       "parameter 'layers' has an empty range, expected low < high"},
      {changed(R"([{"op": "replace", "path": "/params_domain/0/range/low", "value": 0}])"), "lr"},
      {changed(R"([{"op": "replace", "path": "/params_domain/0/range/type", "value": "BALL"}])"),
       "parameter 'lr' has range 'BALL', expected CONTINUOUS, DISCRETE or CATEGORICAL"},
      {changed(R"([{"op": "replace", "path": "/params_domain/3/name", "value": "lr"}])"), "lr"},
      {changed(R"json([{"op": "replace", "path": "/params_domain/3/constraint/lua_script",
                    "value": "return os.exit()"}])json"),
       "`return os.exit()`"},
      {changed(R"([{"op": "replace", "path": "/params_domain/3/constraint/lua_script",
                    "value": "return nobody == 1"}])"),
       "a constraint names 'nobody', which is not a parameter of the problem"},
      {changed(R"([{"op": "remove", "path": "/values_domain/0"}])"),
       "the problem has no values, expected 1 or more"},
      {changed(R"([{"op": "remove", "path": "/params_domain"}])"), "params_domain"},
      {problem(0), "the problem has 0 steps, expected 1 to 1000000"},
  };
  for (const auto& [what, expected] : cases) {
    Client client;
    client.create(0, what);
    const std::string message = refusal(client.ask());
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
}

TEST(SolverSession, NamesTheFieldThatIsWrong) {
  const auto changed = [](const char* patch) { return problem(1).patch(Message::parse(patch)); };
  const std::pair<Message, const char*> problems[] = {
      {changed(R"([{"op": "remove", "path": "/params_domain/3/constraint/lua_script"}])"),
       R"(parameter 'momentum' is not understood: the field "lua_script" is missing)"},
      {changed(
           R"([{"op": "replace", "path": "/params_domain/3/constraint", "value": "return 1"}])"),
       R"(parameter 'momentum' is not understood: the field "lua_script" is missing)"},
      {changed(R"([{"op": "replace", "path": "/params_domain/0/range/low", "value": "x"}])"),
       R"(parameter 'lr' is not understood: the field "low" is "x", expected a number)"},
      {changed(R"([{"op": "replace", "path": "/params_domain/1/range/high", "value": 2.5}])"),
       R"(parameter 'layers' is not understood: the field "high" is 2.5, expected a whole number)"},
      {changed(R"([{"op": "replace", "path": "/params_domain/2/range/choices/0", "value": 3}])"),
       R"(the field "choices" is [3,"adam"], expected a list of strings)"},
      {changed(R"([{"op": "replace", "path": "/params_domain", "value": 3}])"),
       R"(the field "params_domain" is 3, expected a list)"},
      {changed(R"([{"op": "replace", "path": "/values_domain", "value": {}}])"),
       R"(the field "values_domain" is {}, expected a list)"},
      {changed(R"([{"op": "replace", "path": "/steps", "value": [1, "x"]}])"),
       R"(the field "steps" is [1,"x"], expected a list of whole numbers)"},
  };
  for (const auto& [what, expected] : problems) {
    Client client;
    client.create(0, what);
    const std::string message = refusal(client.ask());
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  }
  SolverSession session({});
  EXPECT_EQ(refusal(Message::parse(*session.answer("{}"))), R"(the field "type" is missing)");
  EXPECT_EQ(refusal(Message::parse(*session.answer(R"({"type": "ASK_CALL", "solver_id": -1})"))),
            R"(the field "solver_id" is -1, expected a whole number from 0 on)");
}

TEST(SolverSession, NamesTheValuesThatAreNone) {
  Client client;
  client.create(0, problem(1));
  (void)client.ask();
  EXPECT_EQ(refusal(client.tell(0, 3, 1)), R"(the field "values" is 3, expected a list)");
  EXPECT_EQ(refusal(client.tell(0, {"x"}, 1)),
            R"(the field "values" is ["x"], expected a list of numbers)");
  EXPECT_EQ(client.tell(0, {0.5}, 1)["type"], "TELL_REPLY") << "the trial is still open";
}

TEST(SolverSession, RefusesAStepBeyondTheProblem) {
  Client client;
  client.create(0, problem(10));
  (void)client.ask();
  for (const Message& values : {Message::array({0.5}), Message::array()})
    EXPECT_EQ(refusal(client.tell(0, values, 99)),
              "trial 0 is told at step 99, expected at most 10");
  EXPECT_EQ(client.tell(0, {0.5}, 10)["type"], "TELL_REPLY");
}

TEST(SolverSession, RefusesAnIdThatNoneCanFollow) {
  Client client;
  client.create(0, problem(1));
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
  const auto ask = [&](std::uint64_t id) {
    return Message::parse(
        *client.say({{"type", "ASK_CALL"}, {"solver_id", 0}, {"next_trial_id", id}}));
  };
  EXPECT_EQ(refusal(ask(kLast)), "next_trial_id is 18446744073709551615, expected a smaller one");
  EXPECT_EQ(ask(kLast - 1)["next_trial_id"], kLast);
}

TEST(SolverSession, AnswersEveryBadLine) {
  SolverSession session({});
  for (const char* line :
       {"", "x", "{", "[]", "{}", R"({"type": 3})", R"({"type": "SING"})",
        R"({"type": "ASK_CALL"})", R"({"type": "ASK_CALL", "solver_id": -1, "next_trial_id": 0})",
        R"({"type": "ASK_CALL", "solver_id": 5, "next_trial_id": 0})",
        R"({"type": "CREATE_SOLVER_CAST"})"}) {
    const auto answer = session.answer(line);
    ASSERT_TRUE(answer) << line;
    EXPECT_EQ(Message::parse(*answer)["type"], "ERROR_REPLY") << line;
  }
}

TEST(SolverSession, ProposesPointsAgainOnceAllWereProposed) {
  for (const char* sampler : {"grid", "random", "tpe", "gp", "cmaes", "nsga2", "bohb", "auto"}) {
    for (const bool open : {false, true}) {
      Client client({sampler, "none"});
      Message small = problem(1);
      small["params_domain"] = Message::array({small["params_domain"][1]});
      client.create(0, small);
      std::vector<Message> seen;
      for (std::uint64_t i = 0; i < 12; ++i) {
        const Message reply = client.ask();
        ASSERT_EQ(reply["type"], "ASK_REPLY") << sampler << reply;
        EXPECT_EQ(reply["trial"]["id"], i);
        EXPECT_EQ(reply["next_trial_id"], i + 1);
        seen.push_back(reply["trial"]["params"]);
        if (open) continue;
        const double x = seen.back()[0].get<double>();
        EXPECT_EQ(client.tell(i, {x}, 1)["type"], "TELL_REPLY") << sampler;
      }
      EXPECT_EQ(std::set<Message>(seen.begin(), seen.begin() + 3).size(), 3U) << sampler;
      for (std::size_t i = 3; i < seen.size(); ++i) EXPECT_EQ(seen[i], seen[i - 3]) << sampler;
    }
  }
}

TEST(SolverSession, AGridProposesInItsOrder) {
  Client client({"grid", "none"});
  Message small = problem(1);
  small["params_domain"] = Message::array({small["params_domain"][1]});
  client.create(0, small);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.ask()["trial"]["params"][0], i + 1);
  client.create(1, problem(1));
  EXPECT_NE(refusal(client.ask(1)).find("lr"), std::string::npos);
}

TEST(SolverSession, ASmallSpaceEndsWithATrialThatIsComplete) {
  for (const base::KindInfo& kind : stopping_kinds()) {
    if (!takes_no_words(kind)) continue;
    Client client({"grid", kind.kind});
    Message small = problem(9);
    small["params_domain"] = Message::array({small["params_domain"][1]});
    client.create(0, small);
    std::int64_t furthest = 0;
    for (Message trial = client.ask()["trial"]; trial["id"] < 3; trial = client.ask()["trial"]) {
      if (trial["next_step"].is_null()) continue;
      const std::int64_t step = trial["next_step"];
      furthest = std::max(furthest, step);
      const double falls = 1.0 / static_cast<double>(step);
      client.tell(trial["id"], {trial["params"][0].get<double>() + falls}, step);
    }
    EXPECT_EQ(furthest, 9) << kind.kind;
  }
}

TEST(SolverSession, RefusesMethodsByName) {
  EXPECT_THROW(SolverSession({"tpee", "none"}), base::Error);
  EXPECT_THROW(SolverSession({"tpe", "ahsa"}), base::Error);
  EXPECT_THROW(SolverSession({"pbt", "none"}), base::Error);
  EXPECT_THROW(SolverSession({"tpe", "any_of"}), base::Error);
}

}  // namespace
}  // namespace hpo
