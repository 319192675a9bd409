#include <string>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "cli/asking.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"

namespace cli {

namespace {

double number_of(const std::string& text, std::string_view what) {
  const auto number = base::parse_double(text);
  if (!number)
    throw base::Error(base::Errc::usage, base::cat(what, ": '", base::printable(text, 60),
                                                   "', expected a number, nan, inf or -inf"));
  return *number;
}

/// NAME=VALUE, as often as it was given.
void write_metrics(base::JsonWriter& json, const Arguments& arguments) {
  if (!arguments.has("--metric")) return;
  json.key("metrics").begin_object();
  for (const std::string& text : arguments.texts("--metric")) {
    const std::size_t at = text.rfind('=');
    if (at == std::string::npos || at == 0)
      throw base::Error(base::Errc::usage, base::cat("--metric: '", base::printable(text, 60),
                                                     "', expected NAME=VALUE"));
    json.field(text.substr(0, at), number_of(text.substr(at + 1), "--metric"));
  }
  json.end_object();
}

std::string message_of(const Arguments& arguments, bool report) {
  base::JsonWriter json;
  json.begin_object().field("call", report ? "report" : "tell");
  json.field("trial", arguments.integer("TRIAL", 0, INT64_MAX));
  if (arguments.has("VALUE")) json.field("value", number_of(arguments.text("VALUE"), "VALUE"));
  write_metrics(json, arguments);
  if (report) json.field("step", arguments.integer("--step", 0, INT64_MAX));
  if (arguments.has("--failed")) json.field("state", "failed");
  if (arguments.has("--stopped")) json.field("state", "stopped");
  if (arguments.has("--message")) json.field("message", arguments.text("--message"));
  json.end_object();
  return std::move(json).text();
}

void check_words(const Arguments& arguments, bool report) {
  const bool failed = arguments.has("--failed"), stopped = arguments.has("--stopped");
  const auto refuse = [](const char* words) { throw base::Error(base::Errc::usage, words); };
  if (failed && stopped) refuse("--failed and --stopped cannot be used together");
  if (report && (failed || stopped))
    refuse("--step is for a report on the way; it cannot be used with --failed or --stopped");
  if (failed && arguments.has("VALUE"))
    refuse("VALUE cannot be used with --failed: a failed trial has no value");
  if (arguments.has("--message") && !failed)
    refuse("--message works only with --failed, which it explains");
}

}  // namespace

void declare_tell(Arguments& arguments) {
  declare_asked(arguments);
  arguments.positional("TRIAL", "its number");
  arguments.positional("VALUE", "of the study's metric, the first of several", false);
  arguments.option("--metric", "NAME=VALUE", "another number, by name", true);
  arguments.option("--step", "N",
                   "a report on the way, with its step: prints go, or stop where the trial has "
                   "ended");
  arguments.flag("--failed", "the trial has no value");
  arguments.flag("--stopped", "the trial was given up before its end");
  arguments.option("--message", "TEXT", "why it failed");
  declare_json(arguments);
}

int run_tell(const Arguments& arguments) {
  const bool report = arguments.has("--step");
  check_words(arguments, report);
  const std::string answer = say_to_keeper(arguments, message_of(arguments, report));
  print_view(
      arguments, [&] { return answer; },
      [&] {
        const base::Json said = base::Json::parse(answer);
        if (report) return said.at("word").text();
        const bool valued = !said.at("value").is_null();
        return base::cat("trial ", said.at("trial").integer(), ": ", said.at("state").text(),
                         valued ? ", " : "",
                         valued ? result_number(said.at("value").number()) : "");
      });
  return kDone;
}

}  // namespace cli
