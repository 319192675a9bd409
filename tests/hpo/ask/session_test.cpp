#include "hpo/ask/session.h"
#include "base/json.h"

#include "tests/hpo/ask/asking.h"

namespace hpo {
namespace {

using AskSessionTest = Asking;

TEST_F(AskSessionTest, Greets) {
  EXPECT_EQ(ask_greeting(asked().study()),
            base::cat(R"({"trellis": ")", TRELLIS_VERSION,
                      R"(", "protocol": 1, "study": "asked", "metrics": [{"name": "accuracy", )",
                      R"("goal": "maximize"}]})"));
}

TEST_F(AskSessionTest, AsksReportsAndTells) {
  const std::string asked_for = ask_answer(asked(), R"({"call": "ask", "ticket": "t"})");
  const base::Json answer = base::Json::parse(asked_for);
  EXPECT_EQ(answer.at("trial").integer(), 0);
  EXPECT_EQ(params_from_json(answer.at("params").raw()).size(), 2U);
  EXPECT_EQ(ask_answer(asked(), R"({"call": "ask", "ticket": "t"})"), asked_for);
  EXPECT_EQ(ask_answer(asked(), R"({"call": "report", "trial": 0, "step": 1, "value": 0.5})"),
            R"({"trial": 0, "word": "go"})");
  EXPECT_EQ(
      ask_answer(asked(), R"({"call": "tell", "trial": 0, "metrics": {"accuracy": 0.75, "x": 1}})"),
      R"({"trial": 0, "state": "complete", "value": 0.75})");
  EXPECT_EQ(row(0).metrics.size(), 2U);
}

TEST_F(AskSessionTest, TakesPointsAlong) {
  const std::string given =
      ask_answer(asked(), R"({"call": "ask", "params": {"lr": 0.05, "width": 8}})");
  const base::Json one = base::Json::parse(given);
  EXPECT_EQ(params_from_json(one.at("params").raw()),
            (Params{{"lr", 0.05}, {"width", std::int64_t{8}}}));
  EXPECT_EQ(ask_answer(asked(), R"({"call": "enqueue", "ticket": "t", "params": {"width": 9}})"),
            R"({"waiting": 1})");
  const auto refusal = [&](const char* line) {
    return base::Json::parse(ask_answer(asked(), line)).at("error").text();
  };
  EXPECT_EQ(refusal(R"({"call": "enqueue"})"),
            "the member params is missing or empty, expected values of parameters");
  EXPECT_EQ(
      refusal(R"({"call": "ask", "params": {"width": [8]}})"),
      "params is {\"width\": [8]}, expected an object with a bool, a number or a string for each "
      "name");
  EXPECT_EQ(base::Json::parse(ask_answer(asked(), R"({"call": "ask"})"))
                .at("params")
                .at("width")
                .integer(),
            9);
}

TEST_F(AskSessionTest, TakesValuesAsAList) {
  (void)ask_answer(asked(), R"({"call": "ask"})");
  EXPECT_EQ(ask_answer(asked(), R"({"call": "tell", "trial": 0, "values": ["-inf"]})"),
            R"({"trial": 0, "state": "complete", "value": "-inf"})");
}

TEST_F(AskSessionTest, SearchesForSeveralMetrics) {
  begin_other("method: nsga2\n",
              "[{name: accuracy, goal: maximize}, {name: size, goal: minimize}]");
  EXPECT_NE(ask_greeting(asked().study()).find(R"({"name": "size", "goal": "minimize"}])"),
            std::string::npos);
  const auto say = [&](const char* line) { return ask_answer(asked(), line); };
  const auto refusal = [&](const char* line) {
    return base::Json::parse(say(line)).at("error").text();
  };
  (void)say(R"({"call": "ask"})");
  EXPECT_EQ(refusal(R"({"call": "tell", "trial": 0, "values": [0.5]})"),
            "1 value, expected 2, one for each metric of the study");
  EXPECT_EQ(refusal(R"({"call": "tell", "trial": 0, "value": 0.5})"),
            "trial 0 has no value of size yet, which is searched for; report or tell it");
  EXPECT_EQ(refusal(R"({"call": "tell", "trial": 0, "metrics": {"size": 3}})"),
            "the metric accuracy is missing");
  EXPECT_EQ(refusal(R"({"call": "tell", "trial": 0, "values": [0.5, 3], "metrics": {"size": 4}})"),
            "size has two different values in this call");
  EXPECT_FALSE(row(0).value) << "a refusal changes nothing";
  EXPECT_EQ(say(R"({"call": "tell", "trial": 0, "values": [0.5, 3]})"),
            R"({"trial": 0, "state": "complete", "value": 0.5})");
  const Metrics both{{"accuracy", 0.5}, {"size", 3}};
  EXPECT_EQ(row(0).metrics, both);
  EXPECT_EQ(say(R"({"call": "tell", "trial": 0, "metrics": {"accuracy": 0.5, "size": 3}})"),
            R"({"trial": 0, "state": "complete", "value": 0.5})")
      << "said twice";
  EXPECT_NE(refusal(R"({"call": "tell", "trial": 0, "values": [0.5, 4]})"), "");

  (void)say(R"({"call": "ask"})");
  EXPECT_EQ(say(R"({"call": "report", "trial": 1, "step": 1, "values": [0.4, 7]})"),
            R"({"trial": 1, "word": "go"})");
  EXPECT_EQ(say(R"({"call": "tell", "trial": 1, "value": 0.6})"),
            R"({"trial": 1, "state": "complete", "value": 0.6})");
  EXPECT_EQ(row(1).metrics, (Metrics{{"accuracy", 0.6}, {"size", 7}})) << "reported before";
}

TEST_F(AskSessionTest, RefusesInWords) {
  const std::pair<const char*, const char*> cases[]{
      {R"({"call": "aks"})",
       R"(unknown call \"aks\", expected ask, enqueue, report or tell; did you mean )"},
      {R"({"call": "ask", "tickets": "x"})", R"(unknown member \"tickets\" of the call ask)"},
      {R"({})", "the member call is missing"},
      {R"({"call": "tell", "value": 1})", "the member trial is missing"},
      {R"({"call": "tell", "trial": -1, "value": 1})",
       "trial is -1, expected a number of at least 0"},
      {R"({"call": "tell", "trial": 5, "value": 1})", "trial 5 was never asked for"},
      {R"({"call": "tell", "trial": 0, "state": "done"})",
       R"(state is \"done\", expected complete, stopped or failed)"},
      {R"({"call": "tell", "trial": 0, "value": 1, "values": [1]})", "value and values"},
      {R"({"call": "tell", "trial": 1.5})", "trial is 1.5, expected its number"},
      {R"({"call": 5})", "call is 5, expected a string"},
      {R"({"call": "ask", "ticket": 5})", "ticket is 5, expected a string"},
      {R"({"call": "tell", "trial": 0, "value": {}})", "value is {}, expected a number"},
      {R"({"call": "tell", "trial": 0, "values": ["a"]})", R"(one of values is \"a\")"},
      {R"({"call": "tell", "trial": 0, "step": "a", "value": 1})", R"(step is \"a\")"},
      {R"({"call": "tell", "trial": 0, "values": {"a": 5}})",
       R"(values is {\"a\": 5}, expected a list with a number for each metric)"},
      {R"({"call": "tell", "trial": 0, "values": 5})", "values is 5, expected a list"},
      {R"({"call": "ask", "params": {"lr": 0.01, "lr": 0.02}})",
       R"(params has the member \"lr\" twice)"},
      {R"({"call": "ask", "params": [1, 2]})", "params is [1, 2], expected an object"},
      {R"({"call": "enqueue", "params": {"lr": 0.01, "l\u0072": 0.02}})",
       R"(params has the member \"lr\" twice)"},
      {R"({"call": "tell", "trial": 0, "value": 1, "value": 2})",
       R"(the call has the member \"value\" twice)"},
      {R"({"call": "tell", "trial": 0, "metrics": {"a": "b"}})", "metrics is {"},
      {R"({"call": "tell", "trial": 0, "state": 1})", "state is 1, expected a string"},
      {"nonsense", ""},
      {R"({"call": "ask")", ""}};
  for (const auto& [line, words] : cases) {
    const std::string answer = ask_answer(asked(), line);
    const base::Json json = base::Json::parse(answer);
    EXPECT_NE(json.find("error"), nullptr) << line;
    EXPECT_EQ(json.at("kind").text(), "usage") << line;
    EXPECT_NE(answer.find(words), std::string::npos) << line << " got " << answer;
  }
  EXPECT_FALSE(asked().pending()) << "a refusal changes nothing";
}

}  // namespace
}  // namespace hpo
