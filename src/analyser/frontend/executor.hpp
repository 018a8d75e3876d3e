// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The symbolic executor: runs a function of the Clang AST once, on terms, and records each loop over the range as a pass.
//!
//! Straight-line code updates the memory; a branch runs both ways on copies that are merged by select; calls are inlined. A loop
//! is unrolled if its trip count is a small number, else it is summarised (loops.cpp). `break`, `continue` and `return` are
//! booleans in memory: what follows a statement that may set one runs under its negation.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <functional>
#include <set>

#include "frontend/memory.hpp"
#include "frontend/passes.hpp"
#include "frontend/refusal.hpp"

namespace twofold::analyser::frontend {

//! A variable's own object, or what a reference is bound to.
struct frame {
  const clang::FunctionDecl* function = nullptr;
  std::map<const clang::Decl*, place> variables;
  place self;                              // *this
  int returned = -1;                       // boolean cell
  int result = -1;                         // cell of the returned value
  std::vector<std::pair<int, int>> exits;  // (broken, continued) cells of the loops and switches that we are in; -1: none
};

//! A loop, whatever its syntax. The functions act on the memory.
struct loop_form {
  clang::SourceLocation at{};
  std::string index_name{};
  std::function<term()> condition{};
  std::function<void()> body{}, increment{};
  bool body_first = false;  // do-while
};

//! Counts the nesting of what is being executed: the stack is finite.
struct depth_guard {
  int& depth;
  explicit depth_guard(int& d) : depth(d) { ++depth; }
  ~depth_guard() { --depth; }
  depth_guard(const depth_guard&) = delete;
  depth_guard& operator=(const depth_guard&) = delete;
};
inline constexpr int deepest_nesting = 256;

class executor {
 public:
  executor(clang::ASTContext& context, bool unroll_top);
  //! Executes f and returns its spec; throws refusal, limit_error.
  spec run(const clang::FunctionDecl* f);
  [[nodiscard]] location where(clang::SourceLocation l) const;

  // --- for merges (merge_access.cpp)
  using leaf_maker = std::function<term(const std::string& field, type leaf, bool vector)>;
  //! A value of type t whose numbers (and arrays, over position()) are what `leaf` says.
  value symbolic_value(clang::QualType t, const std::string& name, const leaf_maker& leaf);
  value symbolic_parameter(const clang::ParmVarDecl* p);
  //! Room for a result.
  value blank(clang::QualType t, const clang::ParmVarDecl* p);
  //! Runs f; the parameters keep their values after it for value_after.
  value call_with(const clang::FunctionDecl* f, const std::vector<std::pair<const clang::ParmVarDecl*, value>>& arguments);
  value value_after(const clang::ParmVarDecl* p);
  //! The number, or the contents over position(); null if there is none.
  term content_of(const value& v) const;
  [[nodiscard]] std::vector<std::pair<std::string, value>> fields_of(clang::QualType t, const value& v) const;

 private:
  using expression = clang::Expr;
  using source = clang::SourceLocation;

  [[noreturn]] void refuse(const char* code, source at, std::string what, std::string why, std::string fix) const;

  // --- types (types.cpp)
  [[nodiscard]] std::optional<type> scalar_type(clang::QualType t) const;
  type need_scalar_type(clang::QualType t, source at) const;
  //! vector, span, array, string, string_view, initializer_list of T: the element type; null otherwise.
  [[nodiscard]] clang::QualType container_element(clang::QualType t) const;
  [[nodiscard]] static std::string std_name(clang::QualType t);  // "vector" for std::vector<…>, "" outside std
  [[nodiscard]] static bool is_iterator(clang::QualType t);
  [[nodiscard]] std::optional<long> fixed_extent(clang::QualType t) const;
  value zero(clang::QualType t, source at, bool indeterminate);
  void declare_parameter(const clang::ParmVarDecl* p);
  bool declare_end(const clang::ParmVarDecl* end, const clang::ParmVarDecl* first);
  value array_of_structs(const array_info& whole, clang::QualType element, source at);
  void set_extent(int array, term extent);
  value load_struct(const place& p, clang::QualType t, source at);
  value parameter_value(clang::QualType t, const std::string& name, source at, bool is_const, bool by_reference);

  // --- memory access (access.cpp)
  int new_cell(value v, std::string name, source at);
  int new_array(array_info info);
  place temporary(value v, source at);
  value load(const place& p, clang::QualType t, source at);
  void store(const place& p, const value& v, source at);
  term read_entry(int object, std::vector<term> index, source at);
  void write_entry(int object, std::vector<term> index, term v, source at);
  value copy(const value& v, source at);  // deep for owning views
  void scatter(int object, term index, term v, source at);
  void join(term condition, const memory& then, const memory& otherwise, source at);
  void conditionally(term c, source at, const std::function<void()>& then, const std::function<void()>& otherwise);

  // --- references that mean one object or another (references.cpp)
  struct stand_in {
    term condition{};  // null: a copy
    place then{}, otherwise{};
    term first{}, second{}, chosen{};  // what the two held when it was bound, and a better word for the choice: max(a, b)
    int copy_of = -1;
    term position{};   // where in that array, if it is known
    contents array{};  // what that held, if it is an array
    value cell{};      // or a variable
  };
  place stand_for(stand_in s, source at);
  place stand_for_copy(value v, int source_object, source at);
  place locate_conditional(const clang::ConditionalOperator* e);
  std::optional<place> locate_choice(const clang::CallExpr* e);
  value load_choice(const stand_in& s, const place& p, clang::QualType t, source at);
  void store_choice(const stand_in& s, const place& p, const value& v, source at);

  // --- std::optional (optionals.cpp)
  [[nodiscard]] clang::QualType optional_value(clang::QualType t) const;  // null if t is none
  value empty_optional(clang::QualType t, source at, bool indeterminate);
  value optional_from(const expression* e, clang::QualType t);
  std::optional<value> optional_member(const std::string& name, const expression* object, const clang::CallExpr* e, unsigned first);

  // --- classes (classes.cpp)
  void check_class(clang::QualType t, source at) const;
  [[nodiscard]] bool copies_plainly(clang::QualType t) const;

  // --- expressions (expressions.cpp, operators.cpp)
  value evaluate(const expression* e);
  term scalar(const expression* e);
  term condition(const expression* e);
  place locate(const expression* e);
  value evaluate_cast(const clang::CastExpr* e);
  value evaluate_unary(const clang::UnaryOperator* e);
  value evaluate_binary(const clang::BinaryOperator* e);
  place assign(const clang::BinaryOperator* e);
  place step_in_place(const clang::UnaryOperator* e, value* before = nullptr);
  value pointer_step(const value& v, term by, bool backwards, source at);
  term arithmetic(clang::BinaryOperatorKind k, term a, term b, type t, source at);
  term compare(clang::BinaryOperatorKind k, term a, term b);
  std::optional<term> pointer_distance(const value& from, const value& to) const;
  term compare_pointers(clang::BinaryOperatorKind k, const value& a, const value& b, source at);
  term convert_to(term t, type to, source at);
  term truth(term t);
  place subscript(const value& base, term index, source at);
  place dereference(const value& pointer, source at);
  value construct(const clang::CXXConstructExpr* e);
  value initialise_list(const clang::InitListExpr* e);
  value default_initialised(const clang::CXXRecordDecl* r, source at);
  std::optional<value> constant_value(const expression* e);
  value from_constant(const clang::APValue& v, clang::QualType t, source at);
  value global(const clang::VarDecl* v, source at);

  // --- calls (calls.cpp, library.cpp, algorithms.cpp)
  value call(const clang::CallExpr* e);
  value inline_call(const clang::FunctionDecl* f, const std::vector<std::pair<value, place>>& arguments, place self, source at,
                    const value* closure = nullptr);
  std::vector<std::pair<value, place>> arguments_of(const clang::FunctionDecl* f, const clang::CallExpr* e, unsigned first);
  std::pair<value, place> argument(const expression* e, clang::QualType parameter);
  value invoke(const value& callee, const std::vector<value>& arguments, source at);
  value construct_library(const std::string& name, const clang::CXXConstructExpr* e);
  value run_body(const clang::FunctionDecl* f, frame made, source at);
  value member_of(const std::string& name, const value& object, const expression* object_expression, const clang::CallExpr* e,
                  unsigned first_argument);
  std::optional<value> library_function(const clang::FunctionDecl* f, const clang::CallExpr* e);
  std::optional<value> math_function(const std::string& name, const clang::CallExpr* e);
  std::optional<value> algorithm(const std::string& name, const clang::CallExpr* e);
  std::optional<value> container_member(const clang::CXXMemberCallExpr* e);
  std::optional<value> operator_call(const clang::CXXOperatorCallExpr* e);
  //! acc = f(acc, *it, *it2) over [first, last): a loop like any other.
  using folder = std::function<value(const value&, const value&, const value&)>;
  value fold_range(const value& first, const value& last, const value& init, const std::string& name, source at, clang::QualType element,
                   const folder& f, const value* second = nullptr);
  term character_class(const std::string& name, term c);

  // --- statements (statements.cpp)
  void execute(const clang::Stmt* s);
  void execute_all(const std::vector<const clang::Stmt*>& list, std::size_t from);
  void declare(const clang::VarDecl* v);
  void execute_return(const clang::ReturnStmt* s);
  void execute_switch(const clang::SwitchStmt* s);
  void execute_for_range(const clang::CXXForRangeStmt* s);
  term stopped();  // has this iteration, loop or function been left?
  void unless_stopped(source at, const std::function<void()>& what);
  void raise(int flag);

  // --- loops (loops.cpp, summarise.cpp)
  struct iteration;
  struct summary;
  //! `second` alone does what `first` and then `second` do: first is second unrolled. (reroll.cpp)
  bool is_unrolled(const clang::Stmt* first, const clang::Stmt* second);
  bool ends_rounded_down(const clang::Stmt* init, const clang::Expr* m, const clang::Expr* n, long step, const leaf& index);
  void run_loop(const loop_form& f);
  void run_after_body(const loop_form& f, const std::function<void(const loop_form&)>& run_rest);
  bool unroll(const loop_form& f, int limit);
  bool summarise(const loop_form& f);  // false: a do-while whose condition changes what the loop carries
  void look_after_body(const loop_form& f, const summary& s, iteration& it);
  iteration iterate(const loop_form& f, const summary& s);
  void split_condition(iteration& it, const summary& s) const;
  void install(const memory& entry, summary& s);
  bool grow(memory& entry, const iteration& it, summary& s);
  bool grow_lags(const memory& entry, const iteration& it, summary& s);
  void close_lag(const loop_form& f, const memory& entry, const iteration& it, summary& s, const leaf& l);
  bool promote(const memory& entry, const iteration& it, summary& s);
  void find_range(const loop_form& f, const memory& entry, const iteration& it, summary& s);
  void check_size(const loop_form& f, const array_info& info, int object) const;
  void check_pointers(const loop_form& f, const memory& entry, const iteration& it);
  void check_reads(const loop_form& f, const memory& entry, const iteration& it, const summary& s);
  void close_states(const loop_form& f, const memory& entry, const iteration& it, summary& s);
  void check_indeterminate(const loop_form& f, const memory& entry, const summary& s) const;
  void close_exits(const memory& entry, const iteration& it, summary& s);
  void close_folds(const loop_form& f, const memory& entry, const iteration& it, summary& s);
  void leave(const loop_form& f, const memory& entry, const iteration& it, summary& s);
  void leave_arrays(const loop_form& f, const memory& entry, const iteration& it, summary& s);
  void close_write(const loop_form& f, const memory& entry, summary& s, int object, const contents::entry& e);
  std::string leaf_name(const leaf& l) const;

  spec finish(const clang::FunctionDecl* f);
  void assume_apart(const clang::FunctionDecl* f, const spec& s);

  clang::ASTContext& context_;
  memory memory_;
  std::map<int, array_info> arrays_;
  struct object_info {
    std::string name;
    location where;
    clang::QualType type;
  };
  std::map<int, object_info> objects_;
  std::map<int, stand_in> stand_ins_;  // by the cell that stands for the objects
  std::map<const clang::Decl*, place> globals_;
  std::vector<frame> frames_;
  int next_object_ = 0;
  int depth_ = 0;           // loops around us that are being summarised
  bool exploring_ = false;  // a trial iteration: nothing is refused for lack of a closed form
  bool settled_ = true;     // all induction variables around us have their closed form
  bool unroll_top_ = true;
  std::string name_hint_;          // the variable that is being initialised
  std::vector<term> index_terms_;  // every array position seen while exploring
  struct old_read {
    int object;
    std::vector<term> index;
    source at;
  };
  std::vector<old_read> old_reads_;                  // reads of contents from before the loop that is being summarised
  std::map<int, term> written_counts_;               // array object → count of the loop that wrote it component by component
  std::map<int, term> lengths_;                      // the same, of real iterations only: trials may not know it yet
  std::vector<const clang::RecordDecl*> unfolding_;  // classes of the parameter that is being declared
  int expression_depth_ = 0, statement_depth_ = 0;
  recording recording_;
  struct parameter_info {
    const clang::ParmVarDecl* decl;
    place at;
    bool writable;
  };
  std::vector<parameter_info> parameters_;
};

}  // namespace twofold::analyser::frontend
