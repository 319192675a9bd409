// The task with an effect: writing a model.
#include <filesystem>

#include "base/file.h"
#include "nn/model/model_file.h"
#include "runtime/runtime.h"
#include "tasks/tasks.h"

namespace tasks {

namespace {

const auto export_task =
    rt::task("export model", 1)
        .cpu([](rt::file_out file, rt::in<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                std::map<std::string, std::string> more, bool with_optimizer) -> void {
          nn::write_model(file.path().string(), *net, *data, more, with_optimizer);
        });

}  // namespace

rt::Value<void> export_model(const rt::Value<nn::ParamSlab>& net,
                             const rt::Value<nn::Dataset>& data, const std::string& path,
                             const std::map<std::string, std::string>& more, bool with_optimizer) {
  // A link is replaced, as a file is: nothing is written where it leads.
  std::error_code none;
  if (std::filesystem::is_symlink(path, none)) base::remove_file(path);
  return export_task(path, net, data, more, with_optimizer);
}

}  // namespace tasks
