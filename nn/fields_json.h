#pragma once
// Fields in JSON.

#include "base/json_writer.h"
#include "nn/fields.h"

namespace nn {

/// Writes the fields as members of the object at hand.
void put_fields(base::JsonWriter& json, const Fields& fields);

}  // namespace nn
