#include "accelerator/array/product_check.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "random_product.h"

namespace coppice::accelerator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr ElementType kTypes[] = {ElementType::kFp32, ElementType::kBf16, ElementType::kInt8};

RC_GTEST_PROP(ProductCheck, AcceptsEveryProductThatTheArrayComputes, ()) {
  const SystolicArray array(*rc::gen::inRange(1, 6), *rc::gen::inRange(1, 6), any_dataflow(),
                            Convention::kCausal, *rc::gen::inRange(0, 3));
  const std::int64_t m = *rc::gen::inRange(1, 12);
  const std::int64_t k = *rc::gen::inRange(2, 12);
  const std::int64_t n = *rc::gen::inRange(1, 12);
  const std::int64_t cut = *rc::gen::inRange<std::int64_t>(1, k);
  for (const ElementType type : kTypes) {
    CheckedProduct product(array, type, m, k, n, *rc::gen::inRange(0, 100));
    RC_ASSERT(product.compute(0, m, 0, cut, 0, n) == array.cycles({m, cut, n, 1}));
    product.compute(0, m, cut, k - cut, 0, n);
    product.check();
  }
}

TEST(ProductCheck, RejectsAWrongProduct) {
  const SystolicArray array(4, 4, Dataflow::kOutputStationary);
  for (const ElementType type : kTypes) {
    // The first case never computes row 7 of the eight rows; the second case computes it twice.
    for (const int rows : {7, 9}) {
      CheckedProduct product(array, type, 8, 30, 5);
      product.compute(0, 7, 0, 30, 0, 5);
      if (rows == 9) {
        product.compute(7, 1, 0, 30, 0, 5);
        product.compute(7, 1, 0, 30, 0, 5);
      }
      EXPECT_THAT([&] { product.check(); },
                  ThrowsMessage<ModelError>(AllOf(HasSubstr("row 7"), HasSubstr(to_string(type)))));
    }
  }
}

TEST(ProductCheck, RejectsProductsThatDoNotFitIntoMemory) {
  const SystolicArray array(4, 4, Dataflow::kOutputStationary);
  EXPECT_THROW(CheckedProduct(array, ElementType::kInt8, 1 << 20, 1 << 10, 1), UnsupportedError);
}

TEST(ProductCheck, FindsTypesByTheirNames) {
  for (const ElementType type : kTypes) EXPECT_EQ(parse_element_type(to_string(type)), type);
  EXPECT_THROW(parse_element_type("fp8"), std::invalid_argument);
}

}  // namespace
}  // namespace coppice::accelerator
