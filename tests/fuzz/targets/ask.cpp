// The lines that the keeper of a study hears.

#include "base/json.h"
#include "hpo/ask/session.h"
#include "hpo/study/spec.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_folder.h"

void fuzz::feed(std::string_view input) {
  static const hpo::StudySpec kStudy = hpo::parse_study(
      "{name: f, metric: {name: m, goal: minimize}, method: random, "
      "early_stop: {asha: {min: 1, max: 9}}, limits: {trials: 9}, parameters: {x: {min: 0, max: "
      "1}}}",
      "f.yaml", "/");
  const support::TempFolder folder;
  hpo::EventLog log(folder.path());
  log.begin({.name = "f", .metric = "m", .parameters = {"x"}});
  hpo::AskedStudy study(kStudy, log, {});
  constexpr int kLines = 20;
  for (int i = 0; i < kLines && !input.empty(); ++i) {
    const std::size_t end = input.find('\n');
    (void)base::Json::parse(hpo::ask_answer(study, input.substr(0, end)));
    input.remove_prefix(end == input.npos ? input.size() : end + 1);
  }
  study.commit();
}
