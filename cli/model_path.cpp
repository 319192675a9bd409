#include "cli/model_path.h"

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "cli/runs.h"

namespace cli {

namespace {

std::optional<base::Path> model_in(const base::Path& folder) {
  const base::Path of_sweep = folder / "best.safetensors", of_train = folder / "model.safetensors";
  std::error_code ignored;
  const bool swept = std::filesystem::is_regular_file(of_sweep, ignored);
  const bool trained = std::filesystem::is_regular_file(of_train, ignored);
  if (swept && trained)
    throw base::Error(base::Errc::usage,
                      base::cat(folder.string(), " holds two networks; give the file of one: ",
                                of_sweep.string(), " (sweep) or ", of_train.string(), " (train)"));
  return swept ? std::optional(of_sweep) : trained ? std::optional(of_train) : std::nullopt;
}

}  // namespace

base::Path model_path(const Arguments& arguments, const std::string& word) {
  std::error_code ignored;
  const base::Path path(word);
  if (is_study_file(word))
    throw base::Error(
        base::Errc::usage,
        base::cat(base::printable(word),
                  " is a study file, expected a model's file, or the "
                  "name or folder of a study: trellis sweep ",
                  base::printable(word), " makes one, or trellis train for a single network"));
  if (std::filesystem::is_regular_file(path, ignored)) return path;
  if (path.extension() == ".safetensors")
    throw base::Error(base::Errc::storage,
                      base::cat(base::printable(word), ": there is no such file"));
  for (const base::Path& folder : {path, runs_folder(arguments) / path}) {
    if (auto found = model_in(folder)) return *found;
  }
  const base::Path run = hpo::find_run(word, runs_folder(arguments));
  throw base::Error(base::Errc::usage,
                    base::cat(run.string(),
                              " holds no network: a sweep of networks writes the best one when it "
                              "ends"));
}

}  // namespace cli
