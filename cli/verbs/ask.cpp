#include <cstdio>
#include <string>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "cli/asking.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/log/study_lock.h"
#include "hpo/space/params.h"

namespace cli {

namespace {

/// Names this asking, so that it may be said again: nobody else's process was ever called so.
std::string own_ticket() {
  const hpo::Holder self = hpo::Holder::self();
  return base::cat(self.host.substr(0, 80), ":", self.boot, ":", self.pid, ":", self.started);
}

/// NAME=VALUE, as often as it was given.
hpo::Params own_params(const Arguments& arguments) {
  hpo::Params params;
  for (const std::string& word : arguments.texts("--set")) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw base::Error(base::Errc::usage,
                        base::cat("--set: '", base::printable(word, 60), "', expected NAME=VALUE"));
    const std::string name = word.substr(0, equals);
    if (params.find(name) != nullptr)
      throw base::Error(base::Errc::usage,
                        base::cat("--set: ", base::printable(name, 60), " is given twice"));
    params.set(name, hpo::parse_value(word.substr(equals + 1)));
  }
  return params;
}

int no_more(const base::Json& said) {
  std::fprintf(stderr, "trellis: no more trials: %s\n", said.at("over").text().c_str());
  return kNothingUsable;
}

}  // namespace

void declare_ask(Arguments& arguments) {
  declare_asked(arguments);
  arguments.option("--ticket", "TEXT",
                   "a name for this asking: while its trial runs, the same name gives it again");
  arguments.option("--set", "NAME=VALUE", "a value that the trial is to have", true);
  arguments.flag("--enqueue",
                 "the values of --set are for the next asking; this one gets no trial");
  declare_json(arguments);
}

int run_ask(const Arguments& arguments) {
  const std::string ticket = arguments.has("--ticket") ? arguments.text("--ticket") : own_ticket();
  const bool later = arguments.has("--enqueue");
  const hpo::Params own = own_params(arguments);
  if (later && own.empty())
    throw base::Error(base::Errc::usage, "--enqueue needs values: --set NAME=VALUE");
  base::JsonWriter json;
  json.begin_object().field("call", later ? "enqueue" : "ask").field("ticket", ticket);
  if (!own.empty()) json.key("params").raw(hpo::json_of(own));
  json.end_object();
  const std::string answer = say_to_keeper(arguments, std::move(json).text());
  const base::Json said = base::Json::parse(answer);
  if (said.find("over") != nullptr) return no_more(said);
  if (later) {
    print_view(
        arguments, [&] { return answer; },
        [&] { return base::cat(said.at("waiting").integer(), " waiting"); });
    return kDone;
  }
  print_view(
      arguments, [&] { return answer; },
      [&] {
        const hpo::Params params = hpo::params_from_json(said.at("params"));
        return base::cat(said.at("trial").integer(), params.empty() ? "" : " ",
                         hpo::text_of(params));
      });
  return kDone;
}

}  // namespace cli
