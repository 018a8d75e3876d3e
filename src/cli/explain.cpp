// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file `twofold explain CODE`: the page about an error, offline.
#include <algorithm>
#include <cctype>
#include <memory>

#include "error_pages.hpp"
#include "json_text.hpp"
#include "nearest.hpp"
#include "subcommand.hpp"
#include "terminal.hpp"

namespace twofold::cli {
namespace {

constexpr const char* explain_examples =
    "examples:\n"
    "  twofold explain TF2111\n"
    "  twofold explain --json TF4101\n"
    "  twofold explain            lists every code";

std::string title(const error_page& page) {  // "# TF2111: an .npy file …" without the mark
  const std::string_view line = page.text.substr(0, page.text.find('\n'));
  return std::string(line.substr(std::min(line.size(), line.find_first_not_of("# "))));
}

exit_code list(bool as_json) {
  nlohmann::ordered_json codes = nlohmann::ordered_json::array();
  std::string text;
  for (const error_page& page : error_pages()) {
    codes.push_back({{"code", page.code}, {"title", title(page)}});
    text += title(page) + "\n";
  }
  print_result(as_json ? json_text(nlohmann::ordered_json{{"schema", 1}, {"codes", codes}}) + "\n" : text);
  return exit_code::done;
}

exit_code explain(std::string code, bool as_json) {
  std::transform(code.begin(), code.end(), code.begin(), [](unsigned char c) { return std::toupper(c); });
  const auto pages = error_pages();
  const auto page = std::find_if(pages.begin(), pages.end(), [&](const error_page& p) { return p.code == code; });
  if (page == pages.end())
    throw failure(exit_code::bad_input, "TF2123", "no error has the code \"" + code + "\"",
                  "codes look like TF2111 and are printed with every error", "\"twofold explain\" lists them all");
  print_result(
      as_json ? json_text(nlohmann::ordered_json{{"schema", 1}, {"code", page->code}, {"title", title(*page)}, {"text", page->text}}) + "\n"
              : std::string(page->text));
  return exit_code::done;
}

}  // namespace

void add_explain(CLI::App& app, program& p) {
  auto code = std::make_shared<std::string>();
  CLI::App* sub = add_subcommand(app, p, "explain", "what an error code means, its cause and its fix", explain_examples);
  sub->add_option("code", *code, "TF####; without one, all codes are listed");
  sub->callback([code, &p] { p.action = [code, &p] { return code->empty() ? list(p.json) : explain(*code, p.json); }; });
}

}  // namespace twofold::cli
