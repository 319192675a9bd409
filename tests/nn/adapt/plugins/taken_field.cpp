// A policy with a field that the study file needs for itself.
#include "nn/adapt/plugin.h"

namespace {

nn::PolicyKind taken() {
  return {.info = {.kind = "taken",
                   .doc = "",
                   .fields = {{.name = "content", .type = nn::FieldType::word, .choices = {"a"}}}},
          .make = [](const nn::PolicySetup&) -> std::unique_ptr<nn::Policy> { return nullptr; }};
}

}  // namespace

TRELLIS_POLICY(taken)
