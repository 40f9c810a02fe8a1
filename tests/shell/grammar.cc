#include "tests/shell/grammar.h"

#include <tree_sitter/api.h>

#include <algorithm>

extern "C" const TSLanguage* tree_sitter_bash();

namespace shardlint::shell {
namespace {

using Kind = Statement::Kind;
using scan::Span;

constexpr std::size_t kDeepest = 60;         // statements inside statements
constexpr std::uint64_t kLongest = 100'000;  // microseconds; some errors cost the grammar minutes

struct TreeDelete {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};
struct ParserDelete {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};
using Tree = std::unique_ptr<TSTree, TreeDelete>;

std::string_view type(TSNode node) { return ts_node_type(node); }
bool simple_type(std::string_view type) {
  return type == "command" || type == "variable_assignment" || type == "variable_assignments" || type == "declaration_command" ||
         type == "unset_command";
}

class Reader {
 public:
  Reader(Code& code) : code_(code), bytes_(code.bytes()), parser_(ts_parser_new()) {
    ts_parser_set_language(parser_.get(), tree_sitter_bash());
    ts_parser_set_timeout_micros(parser_.get(), kLongest);
  }

  bool read() {
    code_.root.kind = Kind::Sequence;
    code_.root.span = {0, bytes_.size()};
    const Tree tree(ts_parser_parse_string(parser_.get(), nullptr, bytes_.data(), static_cast<std::uint32_t>(bytes_.size())));
    if (!tree || fails(ts_tree_root_node(tree.get()))) return false;
    sequence(ts_tree_root_node(tree.get()), code_.root, 0);
    return !code_.too_deep;
  }

 private:
  // Errors inside the words of a simple command are none: scan.h reads those. An empty error stands at a backslash that ends the text.
  bool fails(TSNode root) {
    if (!ts_node_has_error(root)) return false;
    std::vector<TSNode> open{root};
    while (!open.empty()) {
      const TSNode node = open.back();
      open.pop_back();
      if (!ts_node_has_error(node) && !ts_node_is_missing(node)) continue;
      const std::string_view kind = type(node);
      if (ts_node_is_missing(node)) return true;
      if (kind == "ERROR" && ts_node_start_byte(node) < ts_node_end_byte(node)) return true;
      if (simple_type(kind) || kind == "test_command" || kind == "file_redirect" || kind == "heredoc_body") {
        if (!missing_within(node)) continue;
        return true;
      }
      for (std::uint32_t i = 0; i < ts_node_child_count(node); ++i) open.push_back(ts_node_child(node, i));
    }
    return false;
  }

  // A quote or bracket that is never closed.
  static bool missing_within(TSNode root) {
    std::vector<TSNode> open{root};
    while (!open.empty()) {
      const TSNode node = open.back();
      open.pop_back();
      if (ts_node_is_missing(node)) return true;
      for (std::uint32_t i = 0; i < ts_node_child_count(node); ++i) open.push_back(ts_node_child(node, i));
    }
    return false;
  }

  static Span span(TSNode node) { return {ts_node_start_byte(node), ts_node_end_byte(node)}; }
  std::string_view text(TSNode node) const {
    const Span at = span(node);
    return bytes_.substr(at.begin, at.end - at.begin);
  }

  static std::vector<TSNode> children(TSNode node) {
    std::vector<TSNode> out;
    TSTreeCursor cursor = ts_tree_cursor_new(node);
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      do out.push_back(ts_tree_cursor_current_node(&cursor));
      while (ts_tree_cursor_goto_next_sibling(&cursor));
    }
    ts_tree_cursor_delete(&cursor);
    return out;
  }

  static bool is_statement(std::string_view type) {
    return simple_type(type) || type == "redirected_statement" || type == "list" || type == "pipeline" || type == "subshell" ||
           type == "compound_statement" || type == "if_statement" || type == "case_statement" || type == "for_statement" ||
           type == "c_style_for_statement" || type == "while_statement" || type == "function_definition" || type == "test_command" ||
           type == "negated_command";
  }

  void add(TSNode node, Statement& into, std::size_t depth) {
    const std::string_view kind = type(node);
    if (kind == "comment") {
      code_.comments.push_back(span(node));
    } else if (kind == "&" && !into.children.empty()) {
      into.children.back().background = true;
    } else if (is_statement(kind)) {
      into.children.push_back(convert(node, depth + 1));
    }
  }

  void sequence(TSNode node, Statement& into, std::size_t depth) {
    for (const TSNode child : children(node)) add(child, into, depth);
  }

  Statement convert(TSNode node, std::size_t depth) {
    Statement out;
    out.span = span(node);
    const std::string_view kind = type(node);
    if (depth > kDeepest) {
      code_.too_deep = true;
      out.kind = Kind::Other;
    } else if (simple_type(kind)) {
      simple(out);
      comments_in(node);
    } else if (kind == "redirected_statement") {
      redirected(node, out, depth);
    } else if (kind == "list") {
      list(node, out, depth);
    } else if (kind == "pipeline") {
      out.kind = Kind::Pipeline;
      sequence(node, out, depth);
    } else if (kind == "subshell" || kind == "compound_statement") {
      if (bytes_.substr(out.span.begin, 2) == "((") return arithmetic(out);
      out.kind = kind == "subshell" ? Kind::Subshell : Kind::Group;
      sequence(node, out, depth);
    } else if (kind == "negated_command") {
      out.kind = Kind::Not;
      sequence(node, out, depth);
    } else if (kind == "test_command") {
      if (bytes_.substr(out.span.begin, 2) == "((") return arithmetic(out);
      if (bytes_.substr(out.span.begin, 2) != "[[") return out.kind = Kind::Simple, out;
      out.kind = Kind::Test;
      out.words.push_back({out.span.begin + 2, std::max(out.span.begin + 2, out.span.end - 2)});
    } else if (kind == "if_statement") {
      branches(node, out, depth);
    } else if (kind == "case_statement") {
      arms(node, out, depth);
    } else if (kind == "for_statement") {
      loop_over_words(node, out, depth);
    } else if (kind == "c_style_for_statement") {
      counting_loop(node, out, depth);
    } else if (kind == "while_statement") {
      loop(node, out, depth);
    } else if (kind == "function_definition") {
      out.kind = Kind::Function;
      for (const TSNode child : children(node)) {
        if (type(child) == "word") out.name = span(child);
        add(child, out, depth);
      }
    } else {
      out.kind = Kind::Other;
    }
    return out;
  }

  void simple(Statement& out) {
    out.kind = Kind::Simple;
    if (bytes_.substr(out.span.begin, 2) == "((") out = arithmetic(out);
  }

  Statement arithmetic(Statement out) const {
    out.kind = Kind::Arithmetic;
    out.words.push_back({out.span.begin + 2, std::max(out.span.begin + 2, out.span.end - 2)});
    return out;
  }

  void comments_in(TSNode node) {
    if (bytes_.substr(span(node).begin, span(node).end - span(node).begin).find('#') == std::string_view::npos) return;
    for (const TSNode child : children(node)) {
      if (type(child) == "comment") code_.comments.push_back(span(child));
      if (type(child) == "array" || type(child) == "variable_assignment") comments_in(child);
    }
  }

  void list(TSNode node, Statement& out, std::size_t depth) {
    out.kind = Kind::List;
    std::vector<std::pair<TSNode, bool>> reversed;  // the list leans to the left
    while (true) {
      std::vector<TSNode> parts;
      bool or_else = false;
      for (const TSNode child : children(node)) {
        if (type(child) == "||") or_else = true;
        if (type(child) == "comment") code_.comments.push_back(span(child));
        if (is_statement(type(child))) parts.push_back(child);
      }
      if (parts.size() != 2) {
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) reversed.emplace_back(*part, false);
        break;
      }
      reversed.emplace_back(parts[1], or_else);
      node = parts[0];
      if (type(node) != "list") {
        reversed.emplace_back(node, false);
        break;
      }
    }
    for (auto part = reversed.rbegin(); part != reversed.rend(); ++part) {
      out.children.push_back(convert(part->first, depth + 1));
      out.or_else.push_back(part->second);
    }
  }

  // `a <<X | b` and `a <<X && b` put the rest of the line into the redirection.
  void redirected(TSNode node, Statement& out, std::size_t depth) {
    Statement body;
    body.kind = Kind::Simple;
    body.span = out.span;
    bool compound = false;
    std::vector<TSNode> piped, chained;
    bool or_else = false;
    for (const TSNode child : children(node)) {
      const std::string_view kind = type(child);
      if (is_statement(kind)) {
        Statement inner = convert(child, depth + 1);
        if (inner.kind != Kind::Simple) compound = true;
        body = std::move(inner);
      } else if (kind == "heredoc_redirect") {
        here(child, piped, chained, or_else);
      }
    }
    if (compound && (body.kind == Kind::List || body.kind == Kind::Pipeline || body.kind == Kind::Not) && !body.children.empty()) {
      // The redirection belongs to the last command, whose words scan.h reads up to the end of the line.
      Statement* last = &body;
      while ((last->kind == Kind::List || last->kind == Kind::Pipeline || last->kind == Kind::Not) && !last->children.empty())
        last = &last->children.back();
      compound = last->kind != Kind::Simple;
    }
    if (compound) {
      Statement with;
      with.kind = Kind::Redirected;
      with.span = out.span;
      with.children.push_back(std::move(body));
      body = std::move(with);
    }
    const Span whole = out.span;
    if (!piped.empty()) {
      Statement pipe;
      pipe.kind = Kind::Pipeline;
      pipe.span = whole;
      pipe.children.push_back(std::move(body));
      for (const TSNode part : piped) {
        Statement next = convert(part, depth + 1);
        if (next.kind == Kind::Pipeline)
          std::move(next.children.begin(), next.children.end(), std::back_inserter(pipe.children));
        else
          pipe.children.push_back(std::move(next));
      }
      body = std::move(pipe);
    }
    if (!chained.empty()) {
      Statement list;
      list.kind = Kind::List;
      list.span = whole;
      list.children.push_back(std::move(body));
      list.or_else.push_back(false);
      for (const TSNode part : chained) {
        list.children.push_back(convert(part, depth + 1));
        list.or_else.push_back(or_else);
      }
      body = std::move(list);
    }
    out = std::move(body);
    if (out.kind == Kind::Simple) out.span = whole;
  }

  void here(TSNode node, std::vector<TSNode>& piped, std::vector<TSNode>& chained, bool& or_else) {
    HereDocument document;
    document.op = span(node).begin;
    bool has_body = false;
    for (const TSNode child : children(node)) {
      const std::string_view kind = type(child);
      if (kind == "<<" || kind == "<<-") document.op = span(child).begin;
      if (kind == "heredoc_body") document.body = span(child), has_body = true;
      if (kind == "heredoc_end" && !has_body) document.body = {span(child).begin, span(child).begin};
      if (kind == "||") or_else = true;
      if (kind == "pipeline") {
        for (const TSNode part : children(child))
          if (is_statement(type(part))) piped.push_back(part);
      } else if (is_statement(kind)) {
        chained.push_back(child);
      }
    }
    code_.here.push_back(document);
  }

  void branches(TSNode node, Statement& out, std::size_t depth) {
    out.kind = Kind::If;
    Statement part;
    std::size_t from = out.span.begin;
    const auto close = [&](std::size_t to) {
      part.span = {from, to};
      out.children.push_back(std::move(part));
      part = {};
      from = to;
    };
    const auto walk = [&](TSNode clause) {
      for (const TSNode child : children(clause)) {
        const std::string_view kind = type(child);
        if (kind == "then")
          close(span(child).begin);
        else if (kind == "fi")
          close(span(child).begin);
        else if (kind != "elif_clause" && kind != "else_clause")
          add(child, part, depth);
        if (kind == "elif_clause" || kind == "else_clause") {
          close(span(child).begin);
          out.has_else = kind == "else_clause";
          for (const TSNode inner : children(child)) {
            if (type(inner) == "then")
              close(span(inner).begin);
            else
              add(inner, part, depth);
          }
        }
      }
    };
    walk(node);
  }

  void arms(TSNode node, Statement& out, std::size_t depth) {
    out.kind = Kind::Case;
    bool inside = false;
    for (const TSNode child : children(node)) {
      const std::string_view kind = type(child);
      if (kind == "in") inside = true;
      if (kind == "comment") code_.comments.push_back(span(child));
      if (!inside && ts_node_is_named(child) && kind != "comment") out.words.push_back(span(child));
      if (kind != "case_item") continue;
      Statement body;
      body.span = span(child);
      std::string end;
      std::size_t begin = body.span.begin, close = begin;
      for (const TSNode part : children(child)) {
        const std::string_view what = type(part);
        if (what == "(" && close == body.span.begin)
          begin = span(part).end;
        else if (what == ")" && close == body.span.begin)
          close = span(part).begin;
        else if (what == ";;" || what == ";&" || what == ";;&")
          end = what;
        else if (close > body.span.begin)
          add(part, body, depth);
      }
      out.patterns.push_back(scan::split(bytes_, begin, close, '|'));
      out.ends.push_back(end);
      body.span.begin = close;
      out.children.push_back(std::move(body));
    }
  }

  void loop_over_words(TSNode node, Statement& out, std::size_t depth) {
    out.kind = Kind::For;
    out.all_arguments = true;
    std::size_t words_begin = 0;
    for (const TSNode child : children(node)) {
      const std::string_view kind = type(child);
      if (kind == "select") out.kind = Kind::Other;
      if (kind == "variable_name" && out.name.empty()) out.name = span(child);
      if (kind == "in") out.all_arguments = false, words_begin = span(child).end;
      if (kind == "do_group" || kind == "compound_statement") body(child, out, depth);
      if (kind == "comment") code_.comments.push_back(span(child));
    }
    if (!out.all_arguments) out.words = scan::words(bytes_, words_begin, out.span.end, false);
  }

  void counting_loop(TSNode node, Statement& out, std::size_t depth) {
    out.kind = Kind::Count;
    std::size_t begin = 0, end = 0;
    for (const TSNode child : children(node)) {
      const std::string_view kind = type(child);
      if (kind == "((" && begin == 0) begin = span(child).end;
      if (kind == "))") end = span(child).begin;
      if (kind == "do_group" || kind == "compound_statement") body(child, out, depth);
    }
    if (end >= begin) out.words = scan::split(bytes_, begin, end, ';');
    if (out.words.size() != 3) out.kind = Kind::Other;
  }

  void loop(TSNode node, Statement& out, std::size_t depth) {
    out.kind = Kind::While;
    Statement condition;
    for (const TSNode child : children(node)) {
      const std::string_view kind = type(child);
      if (kind == "until") out.until = true;
      if (kind == "do_group") {
        condition.span = {out.span.begin, span(child).begin};
        out.children.push_back(std::move(condition));
        condition = {};
        body(child, out, depth);
      } else {
        add(child, condition, depth);
      }
    }
    if (out.children.size() != 2) out.kind = Kind::Other;
  }

  void body(TSNode node, Statement& out, std::size_t depth) {
    Statement inner;
    inner.span = span(node);
    sequence(node, inner, depth);
    out.children.push_back(std::move(inner));
  }

  Code& code_;
  std::string_view bytes_;
  std::unique_ptr<TSParser, ParserDelete> parser_;
};

}  // namespace

bool read_by_grammar(Code& code) { return Reader(code).read(); }

}  // namespace shardlint::shell
