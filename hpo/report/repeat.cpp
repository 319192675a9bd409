// How to repeat it.

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "base/text.h"
#include "hpo/log/trial_place.h"
#include "hpo/report/html.h"
#include "hpo/report/section.h"
#include "hpo/report/study_keys.h"

namespace hpo::report {

namespace {

std::string command_lines(const Gathered& study) {
  const std::string run = visible(study.info.name), dir = study.dir_option();
  std::string out;
  const auto line = [&](std::string_view command, std::string_view what) {
    out += base::cat("# ", what, "\n", command, "\n");
  };
  if (!study.info.asked) {
    line(base::cat(study.command_on_file("sweep"), " --name ", run, "-again"),
         "the whole search, as a new study");
    if (study.best && !study.best->parent)
      line(base::cat("trellis rerun ", run, " ", study.best->trial, dir), "the winner alone");
  }
  if (!study.model.empty())
    line(base::cat("trellis predict ", run, " FILE", dir), "what its network says of other rows");
  line(base::cat("trellis export ", run, dir), "all trials as a table");
  return out;
}

bool goes_by_arrival(const Gathered& study) {
  const auto keys = study_keys(study.resolved);
  const auto order = std::ranges::find(keys, "order", &std::pair<std::string, std::string>::first);
  return order != keys.end() && order->second == "arrival";
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
  const bool varies = study.info.programs && goes_by_arrival(study);
  section.heading = study.info.asked ? "Its trials were run by another program."
                    : varies         ? "Another run may give other trials."
                                     : "The same file and seed give the same trials again.";
  if (computed.size() > 1)
    section.heading = base::cat("It was computed by ", computed.size(), " builds or arithmetics.");
  if (varies && !study.info.asked)
    section.lead =
        "The values of trials count in the order in which they arrive. With order: virtual in the "
        "study file, the same file and seed give the same trials again.";
  section.body =
      paragraph(base::cat("In the folder where the sweep was started",
                          study.note_on_folder().empty() ? ":" : ". ", study.note_on_folder())) +
      code(command_lines(study));
  if (!study.model.empty())
    section.body += paragraph(
        base::cat("The network is ", study.hidden(study.model), " in the study's folder."));
  if (study.info.programs && !study.info.asked && study.best)
    section.body +=
        paragraph(base::cat("What trial ", study.best->trial, " wrote is in ",
                            trial_folder_name(study.best->trial), " in the study's folder."));
  section.body += list(computed);
  if (!study.resolved.empty()) {
    const std::string shown = study.hidden(study.resolved);
    section.body += folded(
        "The study file with every default",
        (shown == study.resolved ? std::string()
                                 : paragraph("Folders are left out of its paths. study.yaml in the "
                                             "study's folder has them.")) +
            code(shown));
  }
  return section;
}

}  // namespace hpo::report
