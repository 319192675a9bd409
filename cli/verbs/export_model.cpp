#include <map>

#include "cli/model_path.h"
#include "cli/output_file.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "nn/model_file.h"
#include "nn/onnx/export.h"
#include "runtime/base/error.h"

namespace cli {

int run_export_model(const Arguments& arguments) {
  if (arguments.text("--format") != "onnx")
    throw rt::Error(rt::Errc::internal, "the engine exports networks only");
  for (const char* flag : {"--candidates", "--times"}) {
    if (arguments.has(flag))
      throw rt::Error(rt::Errc::usage, std::string(flag) + ": expected --format csv or json");
  }
  if (!arguments.has("--output"))
    throw rt::Error(rt::Errc::usage, "--format onnx: expected --output FILE, for the network");
  const std::string path = model_path(arguments, arguments.text("RUN")).string();
  const nn::TrainedModel model = nn::read_trained_model(path);
  write_result(arguments, nn::onnx::model_file(model, {}));
  return kDone;
}

}  // namespace cli
