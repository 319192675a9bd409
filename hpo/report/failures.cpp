// Why trials failed.

#include "base/text.h"
#include "base/words.h"
#include "hpo/report/html.h"
#include "hpo/report/section.h"

namespace hpo::report {

std::optional<Section> failures_section(const Gathered& study) {
  if (study.failures.empty()) return std::nullopt;
  Section section{.id = "failures", .title = "Failures"};
  section.heading = base::cat(
      study.counts.failed, " of ", base::counted(study.counts.all(), "trial"), " failed: ",
      base::listed(study.causes(),
                   [](const Failures& one) {
                     return base::cat(one.trials, " ",
                                      one.cause == Cause::error ? std::string_view("by an error")
                                                                : name_of(one.cause));
                   }),
      ".");
  Table table({"cause", "first message", "trials", "which"}, 2);
  std::string logs;
  for (const Failures& one : study.failures) {
    table.row({std::string(name_of(one.cause)), Cell::whole(visible(one.message, 400)),
               std::to_string(one.trials), one.numbers});
    std::string lines;
    for (const std::string& line : one.lines) lines += line + "\n";
    if (!lines.empty())
      logs += folded(base::cat("The end of trial ", one.first, "'s log"), code(lines));
  }
  section.body = table.html() + logs;
  if (!study.info.asked)
    section.body +=
        paragraph(base::cat("To run them again once the cause is fixed, in the folder where the "
                            "sweep was started:",
                            study.note_on_folder().empty() ? "" : " ", study.note_on_folder())) +
        code(study.command_on_file("sweep") + " --retry-failed");
  return section;
}

}  // namespace hpo::report
