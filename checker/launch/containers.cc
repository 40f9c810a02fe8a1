#include "checker/launch/containers.h"

#include <algorithm>

namespace shardlint::launch {

namespace {

using shell::Environment;
using shell::Text;

// SOURCE:TARGET[:FLAGS]; one name alone is seen under its own.
void mount(const Text& text, std::vector<Mount>& mounts) {
  const std::string& flat = text.flat();
  if (flat.empty()) return;
  const std::size_t colon = flat.find(':');
  const Text source = text.slice(0, std::min(colon, flat.size()));
  std::size_t end = colon == std::string::npos ? flat.size() : flat.find(':', colon + 1);
  end = std::min(end, flat.size());
  const Text target = colon == std::string::npos ? source : text.slice(colon + 1, end);
  if (!target.known() || target.empty()) return;
  mounts.push_back({normal(*target.str()), source.str().value_or("")});
}

// type=bind,source=/a,target=/b
void long_mount(const Text& text, std::vector<Mount>& mounts) {
  const std::string& flat = text.flat();
  Text source, target;
  for (std::size_t begin = 0; begin < flat.size();) {
    const std::size_t end = std::min(flat.find(',', begin), flat.size()), equals = flat.find('=', begin);
    if (equals < end) {
      const std::string name = flat.substr(begin, equals - begin);
      if (one_of(name, {"source", "src"})) source = text.slice(equals + 1, end);
      if (one_of(name, {"target", "dst", "destination"})) target = text.slice(equals + 1, end);
    }
    begin = end + 1;
  }
  if (target.known() && !target.empty()) mounts.push_back({normal(*target.str()), source.str().value_or("")});
}

// NAME=VALUE, or NAME with the value that it has outside.
void variable(const Text& text, const Environment& outside, Environment& inside) {
  const std::size_t equals = text.flat().find('=');
  const std::string name = text.flat().substr(0, equals);
  if (name.empty() || name.find(Text::kHole) != std::string::npos) return;
  if (equals != std::string::npos)
    inside.insert_or_assign(name, text.slice(equals + 1, text.size()));
  else if (const auto found = outside.find(name); found != outside.end())
    inside.insert_or_assign(name, found->second);
}

CommandPtr with_environment(const CommandPtr& command, Environment environment) {
  auto out = std::make_shared<shell::Command>(*command);
  out->environment = std::make_shared<const Environment>(std::move(environment));
  return out;
}

}  // namespace

void mounts_of(const Text& list, std::vector<Mount>& mounts) {
  const std::string& flat = list.flat();
  for (std::size_t begin = 0; begin < flat.size();) {
    const std::size_t end = std::min(flat.find(',', begin), flat.size());
    mount(list.slice(begin, end), mounts);
    begin = end + 1;
  }
}

CommandPtr inside_of(const CommandPtr& command, std::size_t at, std::size_t until, Context& context) {
  const std::vector<shell::Word>& argv = command->argv;
  const std::string engine = base_name(argv[at].text.flat());
  const bool separate = one_of(engine, {"docker", "podman", "nerdctl"});  // nothing of the environment comes along
  const bool singularity = one_of(engine, {"apptainer", "singularity"});
  Environment environment = separate ? Environment() : *command->environment;
  context.environment_passes &= !separate;
  if (separate && at + 1 < until && argv[at + 1].text.flat() == "exec") context.sourced = true;  // whoever started it said more
  for (std::size_t i = at + 1; i < until; ++i) {
    const Text& text = argv[i].text;
    const std::string& flat = text.flat();
    const std::size_t equals = flat.starts_with("--") ? flat.find('=') : std::string::npos;
    const std::string name = flat.substr(0, equals);
    const auto value = [&]() -> std::optional<Text> {
      if (equals != std::string::npos) return text.slice(equals + 1, text.size());
      return i + 1 < until ? std::optional(argv[++i].text) : std::nullopt;
    };
    if (one_of(name, {"-v", "--volume"})) {
      if (const auto one = value()) mount(*one, context.mounts);
    } else if (name == "--mount" || name == "-m") {
      if (const auto one = value())
        one->flat().find("target=") != std::string::npos || one->flat().find("dst=") != std::string::npos ? long_mount(*one, context.mounts)
                                                                                                          : mount(*one, context.mounts);
    } else if (singularity && one_of(name, {"-B", "--bind"})) {
      if (const auto one = value()) mounts_of(*one, context.mounts);
    } else if (name == "--env" || (!singularity && name == "-e")) {
      if (const auto one = value()) variable(*one, *command->environment, environment);
    } else if (one_of(name, {"-w", "--workdir", "--pwd"})) {
      if (const auto one = value()) context.workdir = one->str().value_or("");
    } else if (name == "--env-file") {
      context.sourced = true;
    } else if (singularity && one_of(name, {"-e", "--cleanenv", "--containall", "-C"})) {
      environment.clear();
    }
  }
  return with_environment(command, std::move(environment));
}

CommandPtr exported(const CommandPtr& command, const Count& exports) {
  if (!exports.said || !exports.text.known()) return command;
  Environment environment;
  const std::string& flat = exports.text.flat();
  for (std::size_t begin = 0; begin <= flat.size();) {
    const std::size_t end = std::min(flat.find(',', begin), flat.size());
    const std::string one = flat.substr(begin, end - begin);
    if (one == "ALL")
      for (const auto& [name, text] : *command->environment) environment.try_emplace(name, text);
    else if (one != "NONE" && one != "NIL")
      variable(exports.text.slice(begin, end), *command->environment, environment);
    begin = end + 1;
  }
  for (const auto& [name, text] : *command->environment)
    if (name.starts_with("SLURM_")) environment.try_emplace(name, text);
  return with_environment(command, std::move(environment));
}

}  // namespace shardlint::launch
