#include <cstdio>
#include <string>

#include "cli/asking.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/log/json.h"
#include "hpo/log/study_lock.h"
#include "hpo/space/params.h"
#include "runtime/base/text.h"

namespace cli {

namespace {

/// Names this asking, so that it may be said again: nobody else's process was ever called so.
std::string own_ticket() {
  const hpo::Holder self = hpo::Holder::self();
  return rt::cat(self.host.substr(0, 80), ":", self.boot, ":", self.pid, ":", self.started);
}

}  // namespace

void declare_ask(Arguments& arguments) {
  declare_asked(arguments);
  arguments.option("--ticket", "TEXT",
                   "a name for this asking: while its trial runs, the same name gives it again");
  declare_json(arguments);
}

int run_ask(const Arguments& arguments) {
  const std::string ticket = arguments.has("--ticket") ? arguments.text("--ticket") : own_ticket();
  hpo::JsonWriter json;
  json.begin_object().field("call", "ask").field("ticket", ticket).end_object();
  const std::string answer = say_to_keeper(arguments, std::move(json).text());
  const hpo::Json said = hpo::Json::parse(answer);
  if (said.at("trial").is_null()) {
    std::fprintf(stderr, "trellis: no more trials: %s\n", said.at("over").text().c_str());
    return kNothingUsable;
  }
  print_view(
      arguments, [&] { return answer; },
      [&] {
        const hpo::Params params = hpo::params_from_json(said.at("params").raw());
        return rt::cat(said.at("trial").integer(), params.empty() ? "" : " ", hpo::text_of(params));
      });
  return kDone;
}

}  // namespace cli
