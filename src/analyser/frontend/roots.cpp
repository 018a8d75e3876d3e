// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file A file system that ends at the roots.
#include "frontend/roots.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include <algorithm>

namespace twofold::analyser::frontend {
namespace {

namespace path = llvm::sys::path;

bool below(llvm::StringRef file, const std::string& root) {
  return file.starts_with(root) && (file.size() == root.size() || root.ends_with('/') || path::is_separator(file[root.size()]));
}

class rooted_files : public llvm::vfs::ProxyFileSystem {
 public:
  explicit rooted_files(const source_roots& roots) : ProxyFileSystem(llvm::vfs::createPhysicalFileSystem()), files_(roots.files) {
    const auto add = [&](const std::string& folder, std::vector<std::string>& to) {
      if (const std::string named = absolute(folder); !named.empty()) to.push_back(named);
      if (const std::string real = real_path(folder); !real.empty()) to.push_back(real);
    };
    for (const std::string& f : roots.folders)
      if (const std::string real = real_path(f); !real.empty()) folders_.push_back(real);
    for (const std::string& f : roots.trusted) add(f, trusted_);
    for (const std::string& f : files_) folders_of_files_.push_back(path::parent_path(f).str());
  }

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& p) override {
    // Clang asks for a file's folder before it asks for the file.
    const auto& named = folders_of_files_;
    if (std::find(named.begin(), named.end(), p.str()) == named.end() && !allowed(p.str())) return absent();
    return ProxyFileSystem::status(p);
  }
  bool exists(const llvm::Twine& p) override { return allowed(p.str()) && ProxyFileSystem::exists(p); }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& p) override {
    if (!allowed(p.str())) return absent();
    return ProxyFileSystem::openFileForRead(p);
  }
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine& p, std::error_code& error) override {
    if (allowed(p.str())) return ProxyFileSystem::dir_begin(p, error);
    error = absent();
    return {};
  }
  std::error_code getRealPath(const llvm::Twine& p, llvm::SmallVectorImpl<char>& out) override {
    if (!allowed(p.str())) return absent();
    return ProxyFileSystem::getRealPath(p, out);
  }

 private:
  static std::error_code absent() { return std::make_error_code(std::errc::no_such_file_or_directory); }

  std::string absolute(const std::string& p) {
    llvm::SmallString<256> text(p);
    if (ProxyFileSystem::makeAbsolute(text)) return {};
    path::remove_dots(text, /*remove_dot_dot=*/true);
    return text.str().str();
  }
  std::string real_path(const std::string& p) {
    llvm::SmallString<256> text;
    if (ProxyFileSystem::getRealPath(p, text)) return {};
    return text.str().str();
  }
  bool allowed(const std::string& p) {
    if (std::find(files_.begin(), files_.end(), p) != files_.end()) return true;
    const auto is_below = [](const std::vector<std::string>& roots, const std::string& file) {
      return !file.empty() && std::any_of(roots.begin(), roots.end(), [&](const std::string& r) { return below(file, r); });
    };
    if (is_below(trusted_, absolute(p))) return true;
    const std::string real = real_path(p);
    return is_below(folders_, real) || is_below(trusted_, real);
  }

  std::vector<std::string> folders_, trusted_, files_, folders_of_files_;
};

}  // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> only_below(const source_roots& roots) {
  return llvm::makeIntrusiveRefCnt<rooted_files>(roots);
}

}  // namespace twofold::analyser::frontend
