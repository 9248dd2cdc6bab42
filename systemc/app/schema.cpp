// coppice schema: prints the JSON Schema of configurations or of results.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "app/command.h"
#include "app/outputs.h"
#include "base/error.h"
#include "config/json_schema.h"
#include "system/output/result_schema.h"

namespace coppice::app {
namespace {

struct SchemaLine {
  std::string of = "configuration";
  std::string out;
};

std::string schema_text(const std::string& of) {
  if (of == "configuration") return config::json_schema().dump(1) + "\n";
  if (of == "result") return system::result_schema().dump(1) + "\n";
  throw ConfigError({"schema " + of}, fmt::format("'{}' is neither configuration nor result", of));
}

void execute(const SchemaLine& line) {
  const std::string text = schema_text(line.of);
  Outputs outputs({});
  system::ResultFile* const file = outputs.add("--out", line.out);
  if (file != nullptr) {
    file->write(text);
  } else {
    print(text);
  }
}

}  // namespace

Command add_schema(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("schema",
                                        "print the JSON Schema of configurations, for editors that complete "
                                        "and check keys, or that of results");
  auto line = std::make_shared<SchemaLine>();
  app->add_option("OF", line->of, "what the schema describes: configuration or result")
      ->capture_default_str();
  app->add_option("--out", line->out, "the file to write (default: standard output)")->type_name("FILE");
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
