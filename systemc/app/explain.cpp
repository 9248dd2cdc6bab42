// coppice explain: explains configuration keys and result fields.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/command.h"
#include "base/error.h"
#include "config/document/nearest.h"
#include "config/schema.h"
#include "system/output/result_fields.h"

namespace coppice::app {
namespace {

using config::Key;
using config::KeyPart;
using config::Purpose;

struct ExplainLine {
  const CLI::App* coppice = nullptr;
  std::string name;
  bool all = false;
  std::string format = "text";
};

struct CommandName {
  Purpose purpose;
  const char* name;
};
constexpr CommandName kCommands[] = {{Purpose::kRun, "run"},
                                     {Purpose::kTraffic, "traffic"},
                                     {Purpose::kSchedule, "schedule"},
                                     {Purpose::kBound, "bound"},
                                     {Purpose::kRoute, "route"}};

std::string commands_of(const config::Purposes& purposes) {
  std::vector<std::string> names;
  for (const CommandName& command : kCommands) {
    if (purposes.has(command.purpose)) names.emplace_back(command.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The default value of a key as a text; empty if the key has no default.
std::string default_of(const Key& key) {
  const nlohmann::ordered_json value = key.write(config::Config{});
  if (value.is_null() || (value.is_string() && value.get<std::string>().empty())) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// An item to explain: a key, a field in the items of a key's list, or a field of results.
struct Item {
  std::string name;
  std::string summary;
  std::vector<std::pair<std::string, std::string>> facts;  // (name, text), without facts whose text is empty
};

void add_fact(Item& item, const std::string& what, const std::string& fact) {
  if (!fact.empty()) item.facts.emplace_back(what, fact);
}

Item item_of(const Key& key) {
  Item item{key.path, key.summary, {}};
  add_fact(item, "values", key.form);
  const std::string usual = default_of(key);
  add_fact(item, "default", usual);
  if (key.example != usual) add_fact(item, "example", key.example);
  add_fact(item, "required by", commands_of(key.required));
  add_fact(item, "read by", commands_of(key.used));
  return item;
}

Item item_of(const Key& list, const KeyPart& part) {
  Item item{list.path + "[]." + part.name, part.summary, {}};
  add_fact(item, "values", part.form);
  return item;
}

Item item_of(const system::ResultField& field) {
  Item item{std::string(field.path), std::string(field.summary), {}};
  add_fact(item, "type", to_string(field.type));
  add_fact(item, "unit", std::string(field.unit));
  return item;
}

bool is_within(std::string_view path, std::string_view section) {
  return path.starts_with(section) && (section.empty() || path.size() == section.size() ||
                                       path[section.size()] == '.' || path[section.size()] == '[');
}

std::vector<Item> key_items(std::string_view within) {
  std::vector<Item> items;
  for (const Key& key : config::keys()) {
    items.push_back(item_of(key));
    for (const KeyPart& part : key.parts) items.push_back(item_of(key, part));
  }
  std::erase_if(items, [&](const Item& item) { return !is_within(item.name, within); });
  return items;
}

std::vector<Item> field_items(std::string_view within) {
  std::vector<Item> items;
  for (const system::ResultField& field : system::result_fields()) {
    if (is_within(field.path, within)) items.push_back(item_of(field));
  }
  return items;
}

std::string as_text(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) {
    text += fmt::format("{}\n  {}\n", item.name, item.summary);
    for (const auto& [what, fact] : item.facts) text += fmt::format("  {:<12} {}\n", what + ":", fact);
  }
  return text;
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    // MkDocs would interpret text in braces as attributes and remove it.
    if (letter == '{' || letter == '}') {
      safe += letter == '{' ? "&#123;" : "&#125;";
      continue;
    }
    if (letter == '|') safe += '\\';
    safe += letter;
  }
  return safe;
}

std::string fact_of(const Item& item, std::string_view what) {
  const auto found = std::find_if(item.facts.begin(), item.facts.end(),
                                  [&](const auto& fact) { return fact.first == what; });
  return found == item.facts.end() ? "" : escaped(found->second);
}

// Formats a table with a row for every item, and a column for each of `facts`.
std::string as_table(const std::string& title, const std::vector<Item>& items,
                     const std::vector<std::string>& facts) {
  std::string text = fmt::format("# {}\n\n| name | description |", title);
  for (const std::string& fact : facts) text += fmt::format(" {} |", fact);
  text += "\n| --- | --- |";
  for (std::size_t i = 0; i < facts.size(); ++i) text += " --- |";
  text += '\n';
  for (const Item& item : items) {
    text += fmt::format("| `{}` | {} |", item.name, escaped(item.summary));
    for (const std::string& fact : facts) text += fmt::format(" {} |", fact_of(item, fact));
    text += '\n';
  }
  return text;
}

// Describes every subcommand as --help does.
nlohmann::ordered_json commands_json(const CLI::App& coppice) {
  auto commands = nlohmann::ordered_json::array();
  for (const CLI::App* command : coppice.get_subcommands([](const CLI::App*) { return true; })) {
    auto options = nlohmann::ordered_json::array();
    for (const CLI::Option* option : command->get_options()) {
      options.push_back(
          {{"name", option->get_positional() ? option->get_name(true) : option->get_name(false, true)},
           {"value", option->get_items_expected_max() == 0 ? "" : option->get_type_name()},
           {"summary", option->get_description()},
           {"default", option->get_default_str()},
           {"required", option->get_required()}});
    }
    commands.push_back({{"name", command->get_name()},
                        {"summary", command->get_description()},
                        {"options", std::move(options)}});
  }
  return commands;
}

std::string as_json(const ExplainLine& line, const std::vector<Item>& keys, const std::vector<Item>& fields) {
  const auto list = [](const std::vector<Item>& items) {
    auto array = nlohmann::ordered_json::array();
    for (const Item& item : items) {
      nlohmann::ordered_json entry{{"name", item.name}, {"summary", item.summary}};
      for (const auto& [what, fact] : item.facts) entry[what] = fact;
      array.push_back(std::move(entry));
    }
    return array;
  };
  nlohmann::ordered_json json{{"keys", list(keys)}, {"result_fields", list(fields)}};
  if (line.all) json["commands"] = commands_json(*line.coppice);
  return json.dump(2) + "\n";
}

[[noreturn]] void refuse(const std::string& name) {
  std::vector<std::string> known;
  for (const Item& item : key_items("")) known.push_back(item.name);
  for (const system::ResultField& field : system::result_fields()) known.emplace_back(field.path);
  throw ConfigError({"explain " + name},
                    fmt::format("'{}' is neither a configuration key nor a result field; did you mean "
                                "'{}'?",
                                name, config::nearest_key(name, known)));
}

void execute(const ExplainLine& line) {
  if (line.format != "text" && line.format != "markdown" && line.format != "json") {
    throw ConfigError({"--format " + line.format},
                      fmt::format("'{}' is not one of text, markdown, json", line.format));
  }
  if (line.all == !line.name.empty()) {
    throw ConfigError({"explain"}, "name a key, a section or a result field, or pass --all");
  }
  const std::vector<Item> keys = key_items(line.name);
  std::vector<Item> fields = field_items(line.name);
  if (keys.empty() && fields.empty()) {
    if (const system::ResultField* whole = system::describe_field(line.name))
      fields.push_back(item_of(*whole));
  }
  if (keys.empty() && fields.empty()) refuse(line.name);
  if (line.format == "json") {
    print(as_json(line, keys, fields));
    return;
  }
  std::string text;
  if (line.format == "markdown") {
    if (!keys.empty()) {
      text +=
          as_table("Configuration keys", keys, {"values", "default", "example", "required by", "read by"});
    }
    if (!fields.empty())
      text += (text.empty() ? "" : "\n") + as_table("Result fields", fields, {"type", "unit"});
  } else {
    text = as_text(keys) + as_text(fields);
  }
  print(text);
}

}  // namespace

Command add_explain(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("explain", "explain a configuration key or result field");
  auto line = std::make_shared<ExplainLine>();
  line->coppice = &parent;
  app->add_option("KEY", line->name, "a key, section or result field, such as system.link.bandwidth");
  app->add_flag("--all", line->all, "print every key and field; with --format json, also every subcommand");
  app->add_option("--format", line->format, "text, markdown or json")
      ->type_name("FORMAT")
      ->capture_default_str();
  return {app, [line] { execute(*line); }};
}

}  // namespace coppice::app
