#include "accelerator/array/operands.h"

#include <stdexcept>

#include <fmt/format.h>

namespace coppice::accelerator {

const char* to_string(ElementType type) {
  switch (type) {
    case ElementType::kFp32:
      return "fp32";
    case ElementType::kBf16:
      return "bf16";
    case ElementType::kInt8:
      return "int8";
  }
  return "?";
}

std::int64_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::kFp32:
      return 4;
    case ElementType::kBf16:
      return 2;
    case ElementType::kInt8:
      return 1;
  }
  return 4;
}

ElementType parse_element_type(const std::string& name) {
  for (const ElementType type : {ElementType::kFp32, ElementType::kBf16, ElementType::kInt8}) {
    if (name == to_string(type)) return type;
  }
  throw std::invalid_argument(fmt::format("'{}' is not an operand type: write fp32, bf16 or int8", name));
}

}  // namespace coppice::accelerator
