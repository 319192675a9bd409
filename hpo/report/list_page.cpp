#include "hpo/report/list_page.h"

#include <algorithm>
#include <tuple>

#include "base/clock.h"
#include "base/text.h"
#include "base/url.h"
#include "hpo/report/html.h"
#include "hpo/report/page.h"
#include "hpo/report/text.h"

namespace hpo {

namespace report {

namespace {

std::string state_of(const StudySummary& study) {
  if (study.is_silent) return "its folder does not answer";
  if (study.is_broken) return "its log cannot be read";
  const bool idle =
      study.info.asked && study.info.state == StudyState::running && study.counts.running == 0;
  return idle ? "kept" : std::string(name_of(study.info.state));
}

std::string trials_of(const StudySummary& study) {
  const TrialCounts& counts = study.counts;
  std::string out = std::to_string(counts.complete + counts.stopped + counts.failed);
  if (study.info.trial_limit > 0) out += base::cat(" of ", study.info.trial_limit);
  return out;
}

Cell name_cell(const StudySummary& study) {
  return Cell::of_html(base::cat("<a href=\"s/", escaped(base::url_encoded(study.name)), "/\">",
                                 escaped(study.name, kLongName), "</a>"));
}

std::string table_of(std::vector<const StudySummary*> studies) {
  const auto key = [](const StudySummary* study) {
    const bool runs =
        !study->is_silent && !study->is_broken && study->info.state == StudyState::running;
    return std::tuple(!runs, -study->moved, study->name);
  };
  std::ranges::sort(studies, {}, key);
  Table table({"study", "state", "metric", "best", "trial", "ended", "failed", "written"}, 3);
  for (const StudySummary* study : studies) {
    if (study->is_silent || study->is_broken) {
      table.row({name_cell(*study), state_of(*study), "", "", "", "", "", ""});
      continue;
    }
    const std::string& metric = study->info.metric;
    const auto& best = study->best;
    table.row({name_cell(*study), state_of(*study), metric,
               best && best->value ? score(metric, *best->value) : "–",
               best ? std::to_string(best->trial) : "–", trials_of(*study),
               std::to_string(study->counts.failed),
               study->moved > 0 ? base::wall_text(study->moved) : "–"});
  }
  return table.html();
}

std::string heading_of(std::span<const StudySummary> studies) {
  const auto running = std::ranges::count_if(studies, [](const StudySummary& study) {
    return !study.is_silent && !study.is_broken && study.info.state == StudyState::running;
  });
  return base::cat(studies.size(), studies.size() == 1 ? " study, " : " studies, ",
                   running == 0 ? std::string("none") : std::to_string(running),
                   running == 1 ? " is running." : " are running.");
}

std::string page_of(Section section, const char* script, const std::string& assets,
                    const ReportOptions& options) {
  Page page{.name = "Trellis", .title = section.title, .summary = section.heading};
  page.sections.push_back(std::move(section));
  page.version = options.version;
  page.assets = assets;
  page.script_file = script;
  return html_of(page);
}

}  // namespace

}  // namespace report

std::string list_page(std::span<const StudySummary> studies, const std::string& assets,
                      const ReportOptions& options) {
  std::vector<const StudySummary*> all;
  for (const StudySummary& study : studies) all.push_back(&study);
  report::Section section{
      .id = "studies",
      .title = "Studies",
      .heading = studies.empty() ? "There is no study here yet." : report::heading_of(studies),
      .body = studies.empty() ? "" : report::table_of(std::move(all)),
      .is_headline = true};
  return report::page_of(std::move(section), "list.js", assets, options);
}

std::string login_page(const std::string& assets, const ReportOptions& options) {
  report::Section section{
      .id = "login",
      .title = "Token",
      .heading = "This page needs the token that the server printed.",
      .lead = "Open the address that trellis serve printed, or type the token.",
      .body =
          "<form><input type=\"password\" aria-label=\"Token\" autocomplete=\"off\">"
          "<button>Show the studies</button></form>\n<p id=\"said\" role=\"status\"></p>\n",
      .is_headline = true};
  return report::page_of(std::move(section), "login.js", assets, options);
}

}  // namespace hpo
