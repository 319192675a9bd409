#include "cli/model_path.h"

#include <filesystem>
#include <optional>

#include "cli/runs.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace cli {

namespace {

std::optional<rt::Path> model_in(const rt::Path& folder) {
  const rt::Path of_sweep = folder / "best.safetensors", of_train = folder / "model.safetensors";
  std::error_code ignored;
  const bool swept = std::filesystem::is_regular_file(of_sweep, ignored);
  const bool trained = std::filesystem::is_regular_file(of_train, ignored);
  if (swept && trained)
    throw rt::Error(rt::Errc::usage,
                    rt::cat(folder.string(), " holds two networks, expected one of their files: ",
                            of_sweep.string(), " (sweep) or ", of_train.string(), " (train)"));
  return swept ? std::optional(of_sweep) : trained ? std::optional(of_train) : std::nullopt;
}

}  // namespace

rt::Path model_path(const Arguments& arguments, const std::string& word) {
  std::error_code ignored;
  const rt::Path path(word);
  if (is_study_file(word))
    throw rt::Error(rt::Errc::usage, rt::cat(rt::printable(word),
                                             " is a study file, expected a model's file, or the "
                                             "name or folder of a study: trellis sweep ",
                                             rt::printable(word),
                                             " makes one, or trellis train for a single network"));
  if (std::filesystem::is_regular_file(path, ignored)) return path;
  if (path.extension() == ".safetensors")
    throw rt::Error(rt::Errc::storage, rt::cat(rt::printable(word), ": there is no such file"));
  for (const rt::Path& folder : {path, runs_folder(arguments) / path}) {
    if (auto found = model_in(folder)) return *found;
  }
  const rt::Path run = hpo::find_run(word, runs_folder(arguments));
  throw rt::Error(rt::Errc::usage,
                  rt::cat(run.string(),
                          " holds no network: a sweep of networks writes the best one when it "
                          "ends"));
}

}  // namespace cli
