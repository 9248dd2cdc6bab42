#include "accelerator/array/operands.h"

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

}  // namespace coppice::accelerator
