#include <algorithm>
#include <set>

#include "hpo/export/export.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

/// A cell after RFC 4180.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

class Line {
 public:
  explicit Line(std::string& out) : out_(out) {}
  ~Line() { out_ += '\n'; }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Line& cell(const std::string& text) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += quoted(text);
    return *this;
  }

 private:
  std::string& out_;
  bool first_ = true;
};

std::string plain(const ParamValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? *text : text_of(value);
}

}  // namespace

std::string export_csv(const StudyReader& study, const ExportOptions& options) {
  std::vector<TrialRow> trials = study.trials();
  std::vector<std::string> parameters = study.parameter_names();
  std::set<std::string> metrics;
  for (const TrialRow& trial : trials) {
    for (const auto& [name, value] : trial.metrics) metrics.insert(name);
  }

  std::string out;
  {
    Line line(out);
    for (const char* name : {"trial", "state", "cause", "value"}) line.cell(name);
    for (const std::string& name : parameters) line.cell("params." + name);
    for (const std::string& name : metrics) line.cell("metrics." + name);
    for (const char* name : {"step", "epochs", "parent"}) line.cell(name);
    if (options.times) line.cell("attempts").cell("seconds");
  }
  for (const TrialRow& trial : trials) {
    Line line(out);
    line.cell(std::to_string(trial.trial)).cell(std::string(name_of(trial.state)));
    line.cell(std::string(name_of(trial.cause)))
        .cell(trial.value ? rt::format_double(*trial.value) : "");
    for (const std::string& name : parameters) {
      const ParamValue* value = trial.params.find(name);
      line.cell(value ? plain(*value) : "");
    }
    for (const std::string& name : metrics) {
      auto found = std::ranges::find(trial.metrics, name, &Metrics::value_type::first);
      line.cell(found == trial.metrics.end() ? "" : rt::format_double(found->second));
    }
    line.cell(std::to_string(trial.step)).cell(std::to_string(trial.epochs));
    line.cell(trial.parent ? std::to_string(*trial.parent) : "");
    if (options.times)
      line.cell(std::to_string(trial.attempts)).cell(rt::format_double(trial.seconds));
  }
  return out;
}

}  // namespace hpo
