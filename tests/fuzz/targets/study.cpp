// A study file, on to the resolved file and to what a first trial would train.

#include "base/error.h"
#include "hpo/samplers/registry.h"
#include "hpo/study/command.h"
#include "hpo/study/spec.h"
#include "hpo/study/trial_spec.h"
#include "tests/fuzz/fuzz.h"

namespace {

const std::string kFolder = TRELLIS_FUZZ_DATA;

hpo::StudySpec parse(const std::string& text) {
  return hpo::parse_study(text, "study.yaml", kFolder);
}

void first_trial(const hpo::StudySpec& study) {
  const auto sampler = hpo::make_sampler(study.method.kind, {.space = study.space,
                                                             .seed = study.seed,
                                                             .options = study.method.options,
                                                             .max_step = study.max_epochs,
                                                             .explorable = study.explorable,
                                                             .reshapes = study.reshape.size()});
  fuzz::promise(sampler != nullptr, "an accepted study has a sampler");
  const auto params = sampler->propose(0);
  if (!params || study.is_asked) return;
  if (study.runs_command) {
    (void)hpo::trial_command(study, *params);
    return;
  }
  (void)hpo::data_spec(study, *params);
  (void)hpo::materialise(study, *params, {.input = nn::Shape::features(64), .outputs = 4});
}

}  // namespace

void fuzz::feed(std::string_view input) {
  try {
    const hpo::StudySpec study = parse(std::string(input));
    const std::string resolved = hpo::resolved_yaml(study);
    promise(hpo::resolved_yaml(parse(resolved)) == resolved, "a resolved file resolves to itself");
    first_trial(study);
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::study,
            "what is wrong with a study file is the study's error");
    promise_message(error.what());
    promise(std::string_view(error.what()).starts_with("study.yaml:"),
            "a message names the file and the line");
  }
}
