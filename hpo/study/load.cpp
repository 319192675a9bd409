// load_study: text, tree, defaults, space, checks, spec.

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/ascii.h"
#include "base/file.h"
#include "base/words.h"
#include "hpo/study/arguments.h"
#include "hpo/study/asked.h"
#include "hpo/study/binding.h"
#include "hpo/study/checker.h"
#include "hpo/study/choices.h"
#include "hpo/study/command.h"
#include "hpo/study/field.h"
#include "hpo/study/forbid.h"
#include "hpo/study/from.h"
#include "hpo/study/load_steps.h"
#include "hpo/study/parameters.h"
#include "hpo/study/places.h"
#include "hpo/study/plugin.h"
#include "hpo/study/population.h"
#include "hpo/study/source.h"
#include "hpo/study/substitute.h"
#include "hpo/study/trial_spec.h"
#include "hpo/study/yaml_reader.h"

namespace hpo {

namespace study {

namespace {

void apply(const Overrides& overrides, Node& root) {
  const auto set = [&](const std::string& key, Node value) {
    if (Node* node = root.find(key)) {
      *node = std::move(value);
    } else {
      root.entries.push_back({key, {}, std::move(value)});
    }
  };
  if (overrides.name) {
    if (!is_study_name(*overrides.name)) {
      throw base::Error(
          base::Errc::usage,
          base::cat("--name: \"", base::printable(*overrides.name, 80),
                    "\" cannot be a study's name, expected 1 to 64 letters, digits, dots, "
                    "underscores and dashes, not beginning with a dot or dash"));
    }
    set("name", string_node(*overrides.name, {}));
  }
  if (overrides.seed) {
    // Not compared as doubles: the first number beyond is none.
    if (*overrides.seed > static_cast<std::uint64_t>(study_block().find("seed")->max.value())) {
      throw base::Error(base::Errc::usage, base::cat("--seed: ", *overrides.seed,
                                                     " is too large, expected at most 2^53"));
    }
    set("seed", plain_node(std::to_string(*overrides.seed), {}));
  }
  if (overrides.from) {
    if (overrides.from->empty())
      throw base::Error(base::Errc::usage, "--from: an empty path, expected a model's file");
    const auto path = std::filesystem::absolute(*overrides.from).lexically_normal();
    Node model = string_node(escape(path.string()), {});
    Node* from = root.find("from");
    if (from == nullptr || !from->is_map()) {
      set("from", std::move(model));
    } else if (Node* named = from->find("model")) {
      *named = std::move(model);
    } else {
      from->entries.push_back({"model", from->at, std::move(model)});
    }
    write_out_from(root);
  }
  if (overrides.parallel) set("parallel", plain_node(std::to_string(*overrides.parallel), {}));
}

Space read_space_of(const Node& root) {
  const Space none;
  const Node* parameters = root.find("parameters");
  if (parameters == nullptr) return none;
  const Field& field = *study_block().find("parameters");
  const Space all = read_space(Checker(none).check(*parameters, field, "parameters"));
  const Node* forbid = root.find("forbid");
  if (forbid == nullptr) return all;
  return without(Checker(none).check(*forbid, *study_block().find("forbid"), "forbid"), all);
}

/// Conditions count as a use: a parameter may do nothing but steer others.
void check_used(const Node& raw, const Space& space, const Checker& checker) {
  std::set<std::string, std::less<>> used = checker.used();
  for (const Parameter& parameter : space.parameters()) {
    for (const Condition& condition : parameter.when) used.insert(condition.parameter);
  }
  for (const Parameter& parameter : space.parameters()) {
    if (used.contains(parameter.name)) continue;
    const Position at = raw.find("parameters")->find_entry(parameter.name)->key_at;
    const std::string expected =
        raw.find("command") != nullptr
            ? base::cat("$args or $", parameter.name, " in command, or $", parameter.name,
                        " in resources")
            : base::cat("$", parameter.name, " in network, train, adapt, data or resources");
    throw StudyError(
        at, base::cat("parameter \"", parameter.name, "\" is used nowhere, expected ", expected));
  }
}

/// Makes a program's folder absolute, so that the resolved file means the same from anywhere.
std::string located_folder(const std::string& given, const std::string& folder) {
  std::filesystem::path path(folder);
  if (!given.empty()) path /= given;
  return path.lexically_normal().string();
}

/// The same of the program of an adaptation.
void locate_policy(StudySpec& study) {
  if (!study.adapt) return;
  Node adapt = study.adapt.node();
  const auto program = std::ranges::find(adapt.entries, "command", &Entry::key);
  if (program == adapt.entries.end()) return;
  Node* given = adapt.find("folder");
  const std::string absolute =
      located_folder(given != nullptr ? unescape(*given).text : "", study.folder);
  Node value = string_node(escape(absolute), adapt.at);
  if (given != nullptr)
    *given = std::move(value);
  else
    adapt.entries.insert(program + 1, {"folder", adapt.at, std::move(value)});
  study.adapt = Tree(std::move(adapt), study.adapt.row());
}

/// For tables the network can be tried without the data: only the number of columns is missing.
void try_network(const StudySpec& study) {
  if (!study.data.csv || study.from) return;  // with `from` the network is the model's
  const auto implied = implied_task(study);
  const nn::LearningTask task = implied ? implied->task : nn::LearningTask::classification;
  StudySpec tried = study;
  tried.limits.weights.reset();  // how many there are depends on the columns
  const DataInfo data{.input = nn::Shape::features(16),
                      .outputs = task == nn::LearningTask::regression ? 1 : 2,
                      .task = task};
  for (const double u : {0.0, 1.0}) {
    const Params corner = study.space.from_unit(std::vector<double>(study.space.size(), u));
    if (study.space.allows(corner)) (void)materialise(tried, corner, data);
  }
}

/// `false` where `true` would stand for a kind: as if the key was not there.
void drop_denied(Node& root) {
  std::erase_if(root.entries, [](const Entry& entry) {
    const Field* field = study_block().find(entry.key);
    return field != nullptr && field->kinds != nullptr && !field->kinds()->truth.empty() &&
           entry.value.is_scalar() && !entry.value.quoted && entry.value.text == "false";
  });
}

[[noreturn]] void fail_nameless(const Node& root, const std::string& stem) {
  constexpr std::size_t kLongest = 64;
  std::string near;
  for (const char c : stem.substr(0, kLongest))
    near += is_study_name(base::cat("a", std::string(1, c))) ? c : '_';
  throw StudyError(root.at,
                   base::cat("the study has no name, and the file's name cannot be one; add name: ",
                             is_study_name(near) ? near : "study", " to the file"));
}

StudySpec parse(const std::string& text, const std::string& file, const std::string& folder,
                const Overrides& overrides) {
  Node root = read_yaml(text);
  if (!root.is_map()) {
    throw StudyError(root.at,
                     base::cat("the file is ", describe(root),
                               ", expected a map such as data: {csv: FILE, target: COLUMN}"));
  }
  drop_denied(root);
  write_out_from(root);
  write_out_choices(root);
  const Node raw = root;
  apply(overrides, root);
  const bool names_rule = root.find("early_stop") != nullptr;
  const bool names_metric = root.find("metric") != nullptr;
  // Of a file whose name cannot be a study's, all else is checked first.
  const std::string stem = std::filesystem::path(file).stem().string();
  const bool nameless = root.find("name") == nullptr && !is_study_name(stem);
  add_defaults(root, nameless ? "study" : stem);
  StudySpec study;
  study.file = file;
  study.folder = folder;
  study.names_rule = names_rule;
  study.names_metric = names_metric;
  study.space = read_space_of(root);
  Checker checker(study.space);
  locate_plugin(root, folder);
  expand_arguments(root, study.space);
  root = checker.check(root, study_block(), "");
  study.runs_command = source_of_study(root) == "command";
  study.is_asked = source_of_study(root) == "ask";
  if (study.is_asked) {
    study.order = Order::arrival;
    study.retry.max = 0;  // whoever asks tries again, or not
  }
  study.places = std::make_shared<const Places>(root, study_block());
  read_block(&study, root, study_block());
  const bool data = !study.numbers_steps();
  if (data) check_source(study);
  add_population_defaults(study);
  if (const auto implied = data ? implied_task(study) : std::nullopt) {
    if (!needs_the_target(study, implied->task)) study.data.task = implied->task;
    add_goal_defaults(study, implied->task);
  }
  if (!study.is_asked) check_used(raw, study.space, checker);
  derive(study);
  if (study.runs_command) study.command_folder = located_folder(study.command_folder, folder);
  locate_policy(study);
  for (std::string& known : study.warm_start) known = located_folder(known, folder);
  locate_from(study);
  if (study.runs_command) try_command(study);
  if (data) {
    try_network(study);
    if (!overrides.data_elsewhere) locate_sources(study);
  }
  if (nameless) fail_nameless(root, stem);
  return study;
}

}  // namespace

}  // namespace study

bool is_study_name(const std::string& name) {
  const auto allowed = [](char c) {
    return base::is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
  };
  if (name.empty() || name.size() > 64 || name[0] == '.' || name[0] == '-') return false;
  return std::all_of(name.begin(), name.end(), allowed);
}

StudySpec parse_study(const std::string& text, const std::string& file, const std::string& folder,
                      const Overrides& overrides) {
  return study::with_place(file, [&] { return study::parse(text, file, folder, overrides); });
}

Space space_of_resolved(const std::string& resolved, const std::string& file) {
  return study::with_place(file, [&] { return study::read_space_of(study::read_yaml(resolved)); });
}

namespace {

/// Says which study files there are beside one that is not there.
void require_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) || error) return;
  const std::filesystem::path file(path);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::vector<std::string> known;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::filesystem::path& other = entry.path();
    if (other.extension() == ".yaml" || other.extension() == ".yml")
      known.push_back(file.has_parent_path() ? other.string() : other.filename().string());
  }
  if (known.empty()) return;  // reading it says why not
  std::ranges::sort(known);
  throw base::Error(base::Errc::storage,
                    base::cat("cannot read ", base::printable(path), ": there is no such file",
                              base::expected_one_of(known, path)));
}

}  // namespace

StudySpec load_study(const std::string& path, const Overrides& overrides) {
  require_file(path);
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (!error && bytes > study::kMostBytes) {
    throw base::Error(base::Errc::study,
                      base::cat(path, ":1:1: the file has ", bytes, " bytes, expected at most ",
                                study::kMostBytes, " (1 MiB)"));
  }
  const std::string text = base::read_file(path, study::kMostBytes);
  const auto absolute = std::filesystem::absolute(path);
  return parse_study(text, path, absolute.parent_path().string(), overrides);
}

}  // namespace hpo
