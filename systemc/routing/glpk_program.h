#pragma once

#include <glpk.h>

#include <memory>
#include <vector>

namespace coppice::routing {

// A linear or integer program of GLPK, which is freed automatically.
using GlpkProgram = std::unique_ptr<glp_prob, decltype([](glp_prob* program) { glp_delete_prob(program); })>;

inline GlpkProgram make_program(int direction) {
  GlpkProgram program(glp_create_prob());
  glp_set_obj_dir(program.get(), direction);
  return program;
}

// The constraint matrix of a program in GLPK's sparse form: entry k is value[k] at (row[k], column[k]). All
// indices count from 1.
class GlpkMatrix {
 public:
  void add(int row, int column, double value) {
    rows_.push_back(row);
    columns_.push_back(column);
    values_.push_back(value);
  }
  void load_into(glp_prob* program) const {
    glp_load_matrix(program, static_cast<int>(values_.size()) - 1, rows_.data(), columns_.data(),
                    values_.data());
  }

 private:
  std::vector<int> rows_{0};
  std::vector<int> columns_{0};
  std::vector<double> values_{0};
};

// Parameters of the simplex method that suppress its messages.
inline glp_smcp quiet_simplex() {
  glp_smcp parameters;
  glp_init_smcp(&parameters);
  parameters.msg_lev = GLP_MSG_OFF;
  return parameters;
}

}  // namespace coppice::routing
