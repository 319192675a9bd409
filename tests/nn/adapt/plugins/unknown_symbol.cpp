// A policy that uses what no version of the program has.
#include "nn/adapt/plugin.h"

std::int64_t gone_from_the_program();

namespace {

nn::PolicyKind lost() {
  return {.info = {.kind = "lost", .doc = std::to_string(gone_from_the_program()), .fields = {}},
          .make = [](const nn::PolicySetup&) -> std::unique_ptr<nn::Policy> { return nullptr; }};
}

}  // namespace

TRELLIS_POLICY(lost)
