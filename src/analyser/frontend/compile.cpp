// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Clang as a library, which reads files below the roots only and stops where a source is too much for it. The leading `#include <…>`
//! lines of a file are compiled once into a precompiled header, named by their content, the flags and the compiler, and written by rename,
//! so that several processes may share a cache. A header that is stale or damaged is dropped and the file parsed without it; the source
//! text itself is never changed.
#include "frontend/compile.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/Version.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Job.h>
#include <clang/Driver/Tool.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/SHA256.h>
#include <llvm/TargetParser/Host.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/roots.hpp"
#include "frontend/token_guard.hpp"

namespace twofold::analyser::frontend {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t largest_source = 1 << 20;

//! Keeps the first error; warnings are Clang's business, not ours.
class first_error : public clang::DiagnosticConsumer {
 public:
  std::optional<frontend_error> error;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& d) override {
    DiagnosticConsumer::HandleDiagnostic(level, d);
    if (level < clang::DiagnosticsEngine::Error || error) return;
    llvm::SmallString<128> text;
    d.FormatDiagnostic(text);
    location at;
    if (d.hasSourceManager() && d.getLocation().isValid()) {
      const clang::PresumedLoc p = d.getSourceManager().getPresumedLoc(d.getSourceManager().getExpansionLoc(d.getLocation()), false);
      if (p.isValid()) at = {p.getFilename(), static_cast<int>(p.getLine()), static_cast<int>(p.getColumn())};
    }
    error = frontend_error{frontend_error::kind::bad_input,
                           "TF2103",
                           at,
                           text.str().str(),
                           "the file does not parse as C++",
                           "make it compile first: clang++ -fsyntax-only says more"};
  }
};

std::string resource_dir() {
  if (const char* given = std::getenv("TWOFOLD_CLANG_RESOURCES"); given && *given) return given;
  return TWOFOLD_CLANG_RESOURCES;
}

std::vector<std::string> command_line(const std::string& file, const frontend_options& o) {
  std::vector<std::string> args{"clang++",
                                "-fsyntax-only",
                                "-x",
                                "c++",
                                "-std=" + o.standard,
                                "-w",
                                "-fno-spell-checking",
                                "-fbracket-depth=256",
                                "-ftemplate-depth=256",
                                "-fconstexpr-steps=1000000",
                                "-ferror-limit=1",
                                "-resource-dir",
                                resource_dir()};
  for (const std::string& d : o.include_dirs) args.push_back("-I" + d);
  args.push_back(file);
  return args;
}

//! The driver finds the system's C++ headers and turns our flags into those of the compiler proper.
std::vector<std::string> compiler_arguments(const std::string& file, const frontend_options& o) {
  const std::vector<std::string> args = command_line(file, o);
  std::vector<const char*> pointers;
  for (const std::string& a : args) pointers.push_back(a.c_str());
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> diagnostics(
      new clang::DiagnosticsEngine(new clang::DiagnosticIDs, new clang::DiagnosticOptions, new clang::IgnoringDiagConsumer));
  clang::driver::Driver driver("/usr/bin/clang++", llvm::sys::getDefaultTargetTriple(), *diagnostics);
  driver.setCheckInputsExist(false);
  const std::unique_ptr<clang::driver::Compilation> c(driver.BuildCompilation(pointers));
  if (!c || c->getJobs().empty()) return {};
  const auto& job = *c->getJobs().begin();
  return {job.getArguments().begin(), job.getArguments().end()};
}

std::shared_ptr<clang::CompilerInvocation> invocation(const std::vector<std::string>& args, clang::DiagnosticsEngine& diagnostics) {
  std::vector<const char*> pointers;
  for (const std::string& a : args) pointers.push_back(a.c_str());
  auto r = std::make_shared<clang::CompilerInvocation>();
  clang::CompilerInvocation::CreateFromArgs(*r, pointers, diagnostics);
  r->getFrontendOpts().DisableFree = false;
  r->getCodeGenOpts().DisableFree = false;
  r->getDiagnosticOpts().ShowCarets = false;  // also silences "1 error generated"
  r->getLangOpts().CommentOpts.ParseAllComments = false;
  r->getPreprocessorOpts().DisablePragmaDebugCrash = true;  // `#pragma clang __debug crash` is for Clang's own tests
  r->getPreprocessorOpts().SourceDateEpoch = 0;             // __TIME__ is the same every time
  return r;
}

//! The folders of the source and of -I; the compiler's headers; the precompiled header.
source_roots roots_of(const clang::CompilerInvocation& made, const std::string& file, const std::vector<std::string>& files) {
  const fs::path folder = fs::path(file).parent_path();
  source_roots r{.folders = {folder.empty() ? "." : folder.string()}, .trusted = {made.getHeaderSearchOpts().ResourceDir}, .files = files};
  for (const auto& e : made.getHeaderSearchOpts().UserEntries)
    (e.Group == clang::frontend::Quoted || e.Group == clang::frontend::Angled ? r.folders : r.trusted).push_back(e.Path);
  return r;
}

//! The `#include <…>` lines before any other code.
std::string leading_includes(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  bool comment = false;
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    const std::string body = line.substr(begin);
    if (comment) {
      comment = body.find("*/") == std::string::npos;
      continue;
    }
    if (body.rfind("//", 0) == 0 || body.rfind("#pragma once", 0) == 0) continue;
    if (body.rfind("/*", 0) == 0) {
      comment = body.find("*/") == std::string::npos;
      if (!comment && body.find_first_not_of(" \t\r", body.find("*/") + 2) != std::string::npos) break;
      continue;
    }
    if (body[0] != '#') break;
    const auto word = body.find_first_not_of(" \t", 1);
    if (word == std::string::npos || body.compare(word, 7, "include") != 0) break;
    const auto open = body.find_first_not_of(" \t", word + 7);
    if (open == std::string::npos || body[open] != '<') break;
    const auto close = body.find('>', open);
    if (close == std::string::npos) break;
    const std::string header = body.substr(open, close - open + 1);
    if (header == "<cassert>" || header == "<assert.h>") continue;  // meant to be included again
    out += "#include " + header + "\n";
  }
  return out;
}

std::string key_of(const std::string& includes, const std::vector<std::string>& args) {
  llvm::SHA256 hash;
  const auto add = [&](const std::string& s) { hash.update(llvm::StringRef(s.data(), s.size() + 1)); };
  add(includes);
  add(clang::getClangFullVersion());
  // all flags but the file itself and names derived from it
  for (std::size_t i = 0; i + 1 < args.size(); ++i) {
    if (args[i] == "-main-file-name") {
      ++i;
      continue;
    }
    add(args[i]);
  }
  std::string hex;
  for (const std::uint8_t b : hash.final()) {
    constexpr char digits[] = "0123456789abcdef";
    hex += digits[b >> 4], hex += digits[b & 15];
  }
  return hex.substr(0, 32);
}

std::vector<std::string> without_pch_conflicts(std::vector<std::string> args, const std::string& input) {
  args.back() = input;
  return args;
}

//! The text of a precompiled header, beside it.
std::string header_of(const std::string& pch) { return fs::path(pch).replace_extension(".hpp").string(); }

//! An action whose tokens are counted.
template <class Action>
struct guarded : Action {
  using Action::Action;
  token_guard guard;
  bool BeginSourceFileAction(clang::CompilerInstance& c) override {
    guard.watch(c.getPreprocessor());
    return Action::BeginSourceFileAction(c);
  }
};

//! Builds the precompiled header; true if it is there afterwards.
bool build_header(const std::string& includes, const std::vector<std::string>& args, const fs::path& header, const fs::path& output) {
  std::error_code ignored;
  const std::string suffix = "." + std::to_string(::getpid()) + ".tmp";
  const fs::path temporary = output.string() + suffix;
  {
    // The text itself never changes for one key: an existing file keeps its time stamp, which the header remembers.
    std::ifstream existing(header);
    std::stringstream held;
    held << existing.rdbuf();
    if (!existing || held.str() != includes) {
      std::ofstream text(header.string() + suffix);
      text << includes;
      text.close();
      if (!text) return false;
      fs::rename(header.string() + suffix, header, ignored);
      if (ignored) return false;
    }
  }
  clang::CompilerInstance compiler;
  auto* errors = new first_error;
  compiler.createDiagnostics(errors, true);
  auto made = invocation(without_pch_conflicts(args, header.string()), compiler.getDiagnostics());
  made->getFrontendOpts().Inputs = {clang::FrontendInputFile(header.string(), clang::InputKind(clang::Language::CXX).getHeader())};
  made->getFrontendOpts().OutputFile = temporary.string();
  made->getFrontendOpts().ProgramAction = clang::frontend::GeneratePCH;
  compiler.setInvocation(made);
  compiler.createFileManager(only_below(roots_of(*made, args.back(), {header.string()})));
  guarded<clang::GeneratePCHAction> action;
  const bool done = compiler.ExecuteAction(action) && !errors->error && !action.guard.met();
  if (done) fs::rename(temporary, output, ignored);
  if (!done || ignored) fs::remove(temporary, ignored);
  return done && !ignored;
}

class consumer : public clang::ASTConsumer {
 public:
  explicit consumer(const std::function<void(clang::ASTContext&)>& use) : use_(use) {}
  void HandleTranslationUnit(clang::ASTContext& c) override {
    if (!c.getDiagnostics().hasErrorOccurred()) use_(c);
  }

 private:
  const std::function<void(clang::ASTContext&)>& use_;
};

class action : public clang::ASTFrontendAction {
 public:
  action(const std::function<void(clang::ASTContext&)>& use, const std::function<void(const clang::SourceManager&)>& end)
      : use_(use), end_(end) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<consumer>(use_);
  }
  void EndSourceFileAction() override { end_(getCompilerInstance().getSourceManager()); }

 private:
  const std::function<void(clang::ASTContext&)>& use_;
  const std::function<void(const clang::SourceManager&)>& end_;
};

std::optional<frontend_error> parse(const std::vector<std::string>& args, const std::string& pch,
                                    const std::function<void(clang::ASTContext&)>& use, bool& used) {
  clang::CompilerInstance compiler;
  auto* errors = new first_error;
  compiler.createDiagnostics(errors, true);
  auto made = invocation(args, compiler.getDiagnostics());
  if (!pch.empty()) {
    made->getPreprocessorOpts().ImplicitPCHInclude = pch;
    made->getHeaderSearchOpts().ModulesValidateSystemHeaders = true;
  }
  compiler.setInvocation(made);
  compiler.createFileManager(
      only_below(roots_of(*made, args.back(), pch.empty() ? std::vector<std::string>{} : std::vector{pch, header_of(pch)})));
  const token_guard* guard = nullptr;
  std::optional<frontend_error> excess;
  const std::function<void(const clang::SourceManager&)> look = [&](const clang::SourceManager& sources) {
    if (!guard->met()) return;
    const clang::PresumedLoc at = sources.getPresumedLoc(sources.getExpansionLoc(guard->met()->at), false);
    excess =
        frontend_error{frontend_error::kind::unsupported,
                       "TF4002",
                       {at.isValid() ? at.getFilename() : args.back(), static_cast<int>(at.getLine()), static_cast<int>(at.getColumn())},
                       guard->met()->what,
                       "the size of a source is limited",
                       "split the statement, or move the loop into a file of its own"};
  };
  const std::function<void(clang::ASTContext&)> once = [&](clang::ASTContext& c) {
    if (guard->met()) return;
    used = true;
    use(c);
  };
  guarded<action> a(once, look);
  guard = &a.guard;
  compiler.ExecuteAction(a);
  return excess ? excess : errors->error;
}

}  // namespace

std::optional<frontend_error> with_ast(const std::string& file, const frontend_options& o,
                                       const std::function<void(clang::ASTContext&)>& use) {
  const auto bad = [&](const char* code, std::string what, std::string why, std::string fix) {
    return frontend_error{frontend_error::kind::bad_input, code, {file, 0, 0}, std::move(what), std::move(why), std::move(fix)};
  };
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return bad("TF2101", "cannot read '" + file + "'", "there is no such file", "check the path");
  if (fs::file_size(file, ignored) > largest_source)
    return bad("TF2102", "'" + file + "' is larger than 1 MiB", "the size of a source is limited", "move the loop into a file of its own");
  std::ifstream in(file, std::ios::binary);
  std::stringstream held;
  held << in.rdbuf();
  if (!in) return bad("TF2101", "cannot read '" + file + "'", "the file could not be opened", "check its permissions");
  const std::string text = held.str();
  const std::vector<std::string> args = compiler_arguments(file, o);
  if (args.empty())
    return bad("TF2105", "the flags for '" + file + "'", "Clang's driver does not accept them",
               "use a standard such as c++20, and existing include directories");
  bool used = false;
  const std::string includes = leading_includes(text);
  if (!o.cache_dir.empty() && !includes.empty()) {
    fs::create_directories(o.cache_dir, ignored);
    // Absolute: one name of the header for us, for Clang and for the file system of the roots.
    const fs::path base = fs::absolute(o.cache_dir, ignored).lexically_normal() / ("preamble-" + key_of(includes, args));
    const fs::path pch = base.string() + ".pch", header = header_of(pch.string());
    if (fs::exists(pch, ignored) || build_header(includes, args, header, pch)) {
      const auto error = parse(args, pch.string(), use, used);
      if (used && !error) return std::nullopt;
      // An error of the user's file names it; anything else is about the header, which is then of no use.
      if (!used && error && !error->where.file.empty() && fs::path(error->where.file).filename() == fs::path(file).filename()) return error;
      if (used || (error && error->code == "TF4002")) return error;
      fs::remove(pch, ignored);
    }
  }
  return parse(args, "", use, used);
}

}  // namespace twofold::analyser::frontend
