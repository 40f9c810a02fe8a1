// The floors that a check stands on. With files as arguments: libyaml's or toml++'s own reading of their bytes, and nothing else.
// Without: an empty process that links the same libraries as shardlint.
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <toml++/toml.h>
#include <yaml.h>

namespace {

std::string bytes_of(const char* path) {
  std::string out;
  if (std::FILE* file = std::fopen(path, "rb")) {
    char block[1 << 16];
    while (const std::size_t got = std::fread(block, 1, sizeof block, file)) out.append(block, got);
    std::fclose(file);
  }
  return out;
}

std::size_t yaml_events(const std::string& text) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return 0;
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::size_t events = 0;
  for (bool more = true; more;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) break;
    more = event.type != YAML_STREAM_END_EVENT;
    ++events;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  return events;
}

std::size_t toml_values(const std::string& text) {
  try {
    return toml::parse(text).size();
  } catch (const toml::parse_error&) {
    return 0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t found = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string_view path = argv[i];
    const std::string text = bytes_of(argv[i]);
    found += path.ends_with(".toml") ? toml_values(text) : yaml_events(text);
  }
  if (argc > 1) fmt::print("{}\n", found);
  return 0;
}
