#include "hpo/report/report.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "hpo/report/data_element.h"
#include "hpo/report/gathered.h"
#include "hpo/report/live.h"
#include "hpo/report/page.h"
#include "hpo/report/page_data.h"
#include "hpo/report/section.h"
#include "hpo/report/text.h"

namespace hpo {

namespace report {

namespace {

void add(std::vector<Section>& to, std::optional<Section> section) {
  if (section) to.push_back(std::move(*section));
}

/// In the order of the questions that they answer.
std::vector<Section> sections_of(const Gathered& study) {
  std::vector<Section> sections{result_section(study)};
  for (const auto section :
       {progress_section, metrics_section, parameters_section, next_section, curves_section,
        lineage_section, shapes_section, cost_section, failures_section, trials_section})
    add(sections, section(study));
  sections.push_back(repeat_section(study));
  return sections;
}

bool draws_networks(const std::vector<Section>& sections) {
  return std::ranges::any_of(sections, [](const Section& section) {
    return section.id == "lineage" || section.id == "shapes" || section.id == "metrics";
  });
}

/// What the whole judgement says, for those that show a page's summary.
std::string summary_of(const Gathered& study, const Section& result) {
  if (!study.verdict) return result.heading;
  return base::cat(result.heading, " Verdict: ", study.hidden(study.verdict->text), ".");
}

Page page_of(const Gathered& study, const ReportOptions& options) {
  Page page{.name = study.info.name, .sections = sections_of(study), .version = options.version};
  page.title = base::cat(study.info.name, ": ", page.sections.front().heading);
  page.summary = summary_of(study, page.sections.front());
  page.data = data_of(study);
  if (draws_networks(page.sections)) page.script = &kNetworksScript;
  return page;
}

std::string comparison_of(const std::vector<Gathered>& studies, const ReportOptions& options) {
  Page page{.name = base::cat(studies.size(), " studies"),
            .sections = comparison_sections(studies),
            .version = options.version};
  page.title = page.sections.front().heading;
  page.summary = page.title;
  page.data = comparison_data(studies);
  page.script = &kComparisonScript;
  return html_of(page);
}

/// What the page's script needs to follow the study. Its words are the script's.
std::string banner_of(const Gathered& study, const LivePlace& place, std::int64_t position) {
  const std::string data =
      base::cat("{\"events\":", script_text(place.events), ",\"stop\":", script_text(place.stop),
                ",\"position\":", position, ",\"origin\":", origin_of(study),
                ",\"running\":", study.info.state == StudyState::running ? "1" : "0",
                ",\"limit\":", study.info.trial_limit, "}");
  return base::cat("<div id=\"live\" role=\"status\"></div>\n", data_element("live", data));
}

}  // namespace

}  // namespace report

LivePage live_page(const StudyReader& study, const ReportOptions& options, const LivePlace& place) {
  LivePage live;
  const StudyReader::Held held(study);
  live.position = study.position();
  const report::Gathered gathered = report::gather(study, options);
  report::Page page = report::page_of(gathered, options);
  page.assets = place.assets;
  page.banner = report::banner_of(gathered, place, live.position);
  live.html = report::html_of(page);
  live.places = gathered.places;
  return live;
}

std::string report_page(std::span<const StudyReader> studies, const ReportOptions& options) {
  std::vector<report::Gathered> gathered;
  for (const StudyReader& study : studies) gathered.push_back(report::gather(study, options));
  return gathered.size() == 1 ? report::html_of(report::page_of(gathered.front(), options))
                              : report::comparison_of(gathered, options);
}

}  // namespace hpo
