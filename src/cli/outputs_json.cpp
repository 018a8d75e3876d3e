// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Flat names to nested values.
#include "outputs_json.hpp"

#include <charconv>

#include "scalar_text.hpp"

namespace twofold::cli {
using json = nlohmann::ordered_json;

namespace {

constexpr std::size_t longest_list = 4096;  // more entries than a structure has fields: the name is kept as it is

//! The place of a name in `root`; made where it is not there. Null where the name is no path.
json* place(json& root, const std::string& name) {
  json* at = &root;
  for (std::size_t start = 0; start < name.size();) {
    if (name[start] == '[') {
      const std::size_t close = name.find(']', start);
      std::size_t k = 0;
      if (close == std::string::npos) return nullptr;
      const auto [stop, error] = std::from_chars(name.data() + start + 1, name.data() + close, k);
      if (error != std::errc{} || stop != name.data() + close || k >= longest_list || !(at->is_null() || at->is_array())) return nullptr;
      at = &(*at)[k];
      start = close + 1;
    } else {
      start += name[start] == '.';
      const std::size_t end = std::min(name.find_first_of(".[", start), name.size());
      if (!(at->is_null() || at->is_object())) return nullptr;
      at = &(*at)[name.substr(start, end - start)];
      start = end;
    }
  }
  return at;
}

}  // namespace

json outputs_json(const answers& a, const std::map<std::string, std::string>& files) {
  json out = json::object();
  for (const auto& [name, value] : a.values) {
    const json text = array_json(value, files.contains(name) ? files.at(name) : "");
    json* at = place(out, name);
    if (at != nullptr && at->is_null()) *at = text;
    else out[name] = text;
  }
  return out;
}

}  // namespace twofold::cli
