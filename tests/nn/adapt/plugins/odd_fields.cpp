// A policy with a field that no study file could hold.
#include "nn/adapt/plugin.h"

namespace {

nn::PolicyKind odd() {
  return {.info = {.kind = "odd",
                   .doc = "",
                   .fields = {{.name = "much",
                               .type = nn::FieldType::integer,
                               .min = 1,
                               .max = 9,
                               .value = std::int64_t{10}}}},
          .make = [](const nn::PolicySetup&) -> std::unique_ptr<nn::Policy> { return nullptr; }};
}

}  // namespace

TRELLIS_POLICY(odd)
