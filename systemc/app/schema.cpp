// coppice schema: the JSON Schema of configurations, for editors.
#include <memory>
#include <string>

#include "app/command.h"
#include "app/outputs.h"
#include "config/json_schema.h"

namespace coppice::app {
namespace {

std::string schema_text() {
  return config::json_schema().dump(1) + "\n";
}

void execute(const std::string& out) {
  Outputs outputs({});
  system::ResultFile* const file = outputs.add("--out", out);
  if (file != nullptr) {
    file->write(schema_text());
  } else {
    print(schema_text());
  }
}

}  // namespace

Command add_schema(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      "schema", "print the JSON Schema of configurations, with which editors complete and check keys");
  auto out = std::make_shared<std::string>();
  app->add_option("--out", *out, "the file to write (default: standard output)")->type_name("FILE");
  return {app, [out] { execute(*out); }};
}

}  // namespace coppice::app
