// How to repeat it.

#include <set>
#include <variant>

#include "base/text.h"
#include "hpo/log/trial_place.h"
#include "hpo/report/html.h"
#include "hpo/report/section.h"

namespace hpo::report {

namespace {

std::string command_lines(const Gathered& study) {
  const std::string run = visible(study.info.name);
  std::string out;
  if (!study.model.empty()) out += base::cat("trellis predict ", run, " FILE\n");
  if (!study.info.asked) {
    out += "trellis sweep study.yaml\n";
    if (study.best && !study.best->parent)
      out += base::cat("trellis rerun ", run, " ", study.best->trial, "\n");
  }
  return out + base::cat("trellis export ", run, "\n");
}

/// Builds and arithmetics that computed the study, each once.
std::vector<std::string> arithmetics(const Gathered& study) {
  std::set<std::string> said;
  std::vector<std::string> lines;
  for (const Turn& turn : study.turns) {
    const auto* opened = std::get_if<Opened>(&turn.body);
    if (opened == nullptr) continue;
    const std::string line = base::cat("Trellis ", opened->build,
                                       opened->arithmetic.empty() ? "" : ", " + opened->arithmetic);
    if (said.insert(line).second) lines.push_back(study.hidden(line));
  }
  return lines;
}

}  // namespace

Section repeat_section(const Gathered& study) {
  Section section{.id = "repeat", .title = "Repeat"};
  const std::vector<std::string> computed = arithmetics(study);
  section.heading = study.info.asked ? "Its trials were run by another program."
                                     : "The same file and seed give the same trials again.";
  if (computed.size() > 1)
    section.heading = base::cat("It was computed by ", computed.size(), " builds or arithmetics.");
  section.body = code(command_lines(study));
  if (!study.model.empty())
    section.body += paragraph(
        base::cat("The network is ", study.hidden(study.model), " in the study's folder."));
  if (study.info.programs && !study.info.asked && study.best)
    section.body +=
        paragraph(base::cat("What trial ", study.best->trial, " wrote is in ",
                            trial_folder_name(study.best->trial), " in the study's folder."));
  section.body += list(computed);
  if (!study.resolved.empty())
    section.body += folded("The study file with every default", code(study.hidden(study.resolved)));
  return section;
}

}  // namespace hpo::report
