// What mattered.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/text.h"
#include "base/words.h"
#include "hpo/report/best_values.h"
#include "hpo/report/html.h"
#include "hpo/report/section.h"

namespace hpo::report {

namespace {

/// Rows of the table; a space of hundreds of parameters has most of its shares near 0.
constexpr std::size_t kParameterRows = 30;
/// Trials of the best tenth below which shares are rough.
constexpr std::ptrdiff_t kFewBest = 10;
/// A parameter stands out if its share is that many times an even one.
constexpr double kStandsOut = 1.5;

std::size_t searched_count(const Gathered& study) {
  return static_cast<std::size_t>(
      std::ranges::count(study.parameters, true, &ParameterColumn::is_searched));
}

std::string parameters_heading(const Gathered& study) {
  const std::size_t count = searched_count(study);
  if (count == 0 && study.outcomes < kFewestOutcomes)
    return base::cat("Too few trials to say what mattered: ", study.outcomes,
                     " ended with a value, and ", kFewestOutcomes, " are needed.");
  if (count == 0)
    return study.space.empty() ? "Nothing says which parameters varied."
                               : "No parameter varies, so none can matter.";
  const ParameterColumn& first = study.parameters.front();
  const std::string name = visible(first.name, kLongName);
  if (count == 1) return base::cat(name, " is the only parameter that varies.");
  const std::string share = percent_of(first.share, 1);
  const bool is_tie = share == percent_of(study.parameters[1].share, 1);
  if (first.share * static_cast<double>(count) < kStandsOut)
    return is_tie ? "No parameter mattered more than the others."
                  : base::cat("No parameter mattered much more than the others; ", name,
                              " comes first with ", share, ".");
  return base::cat(name, " mattered most: ", share, " of what sets the best tenth apart.");
}

std::string best_text(const Gathered& study, const ParameterColumn& column) {
  const auto best = best_values(study, column);
  if (!best) return "–";
  if (column.is_number)
    return base::cat(value_text(column, best->low), " to ", value_text(column, best->high));
  return base::cat(column.labels[best->word], " in ", percent_of(best->share, 1));
}

std::string winner_text(const Gathered& study, const ParameterColumn& column) {
  const ParamValue* value = study.best ? study.best->params.find(column.name) : nullptr;
  return value == nullptr ? "–" : study.label(*value);
}

std::string parameters_table(const Gathered& study) {
  Table table({"parameter", "", "importance", "most of the best tenth", "winner"}, 2);
  const std::size_t rows = std::min(kParameterRows, study.parameters.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const ParameterColumn& column = study.parameters[i];
    const std::string share = column.is_searched ? percent_of(column.share, 1) : std::string("–");
    table.row({column.name, Cell::of_html(bar({{"data", column.share}})), share,
               best_text(study, column), winner_text(study, column)});
  }
  std::string out = table.html();
  if (study.parameters.size() > rows)
    out += paragraph(base::cat("and ", study.parameters.size() - rows, " more"));
  return out;
}

}  // namespace

std::optional<Section> parameters_section(const Gathered& study) {
  if (study.parameters.empty() || study.trials.empty()) return std::nullopt;
  Section section{.id = "parameters", .title = "Parameters", .heading = parameters_heading(study)};
  if (searched_count(study) > 0) {
    const auto best = std::ranges::count(study.best_tenth, true);
    section.lead = base::cat(
        "Importance (PED-ANOVA) is the share of the difference between the best tenth (",
        base::counted(best, "trial"), ") and all ", base::counted(study.outcomes, "trial"),
        " that each parameter explains. A parameter that few trials have counts for less.");
    if (best < kFewBest) section.lead += " With so few, the shares are rough.";
  }
  section.body = parameters_table(study);
  if (std::ranges::any_of(study.trials, can_lead))
    section.body +=
        picture("strips", "Every trial along each parameter.") +
        picture("parallel",
                "All parameters together: the best tenth in color, the others in grey.");
  return section;
}

}  // namespace hpo::report
