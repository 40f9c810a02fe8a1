// What a binding names and the unit does not have. Only of classes and functions that are there is anything said: another unit may have the
// rest.
#include <algorithm>

#include <clang/AST/DeclTemplate.h>

#include "checker/cxx/interpreter.h"

namespace shardlint::cxx {

using namespace clang;

namespace {

// The declarations with this qualified name.
std::vector<const NamedDecl*> named(ASTContext& context, const std::vector<Decl*>& own, llvm::StringRef name) {
  std::vector<const DeclContext*> at{context.getTranslationUnitDecl()};
  llvm::SmallVector<llvm::StringRef, 8> parts;
  name.split(parts, "::");
  std::vector<const NamedDecl*> out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out.clear();
    std::vector<const DeclContext*> next;
    // What stands in unnamed namespaces of the main file is found with the rest.
    if (i == 0)
      for (const Decl* declaration : own)
        if (const auto* space = dyn_cast<NamespaceDecl>(declaration); space && space->isAnonymousNamespace()) at.push_back(space);
    for (std::size_t k = 0; i > 0 && k < at.size() && k < 64; ++k)
      for (const Decl* declaration : at[k]->decls())
        if (const auto* space = dyn_cast<NamespaceDecl>(declaration); space && space->isAnonymousNamespace()) at.push_back(space);
    for (const DeclContext* one : at)
      for (const NamedDecl* found : one->lookup(&context.Idents.get(parts[i]))) {
        out.push_back(found);
        if (const auto* pattern = dyn_cast<ClassTemplateDecl>(found)) {
          if (const CXXRecordDecl* record = pattern->getTemplatedDecl()->getDefinition()) next.push_back(record);
        } else if (const auto* record = dyn_cast<CXXRecordDecl>(found)) {
          if (record->getDefinition()) next.push_back(record->getDefinition());
        } else if (const auto* space = dyn_cast<NamespaceDecl>(found)) {
          for (const auto* block : space->redecls()) next.push_back(block);
        } else if (const auto* enumeration = dyn_cast<EnumDecl>(found)) {
          next.push_back(enumeration);
        }
      }
    at = std::move(next);
  }
  return out;
}

std::string nearest(llvm::StringRef word, const std::vector<std::string>& candidates) {
  std::string best;
  unsigned least = static_cast<unsigned>(word.size()) / 2 + 1;
  for (const std::string& candidate : candidates)
    if (const unsigned distance = word.edit_distance(candidate, true, least); distance < least) least = distance, best = candidate;
  return best;
}

void members(const CXXRecordDecl* record, std::vector<std::string>& fields, std::vector<std::string>& methods, int depth = 0) {
  if (!record || !(record = record->getDefinition()) || depth > 16) return;
  for (const FieldDecl* field : record->fields())
    if (field->getIdentifier()) fields.push_back(field->getNameAsString());
  for (const Decl* declaration : record->decls()) {
    if (const auto* method = dyn_cast<CXXMethodDecl>(declaration); method && method->getIdentifier())
      methods.push_back(method->getNameAsString());
    if (const auto* pattern = dyn_cast<FunctionTemplateDecl>(declaration)) methods.push_back(pattern->getNameAsString());
  }
  for (const CXXBaseSpecifier& base : record->bases()) members(base.getType()->getAsCXXRecordDecl(), fields, methods, depth + 1);
}

bool has(const std::vector<std::string>& list, llvm::StringRef word) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& one) { return word == one; });
}

// Whether the parameters have the names of the row as far as both go.
bool agrees(const CallRow& row, const FunctionDecl& callee) {
  for (const FunctionDecl* declaration : callee.redecls()) {
    bool same = true;
    for (unsigned i = 0; i < std::min<std::size_t>(row.params.size(), declaration->getNumParams()); ++i)
      same &= declaration->getParamDecl(i)->getNameAsString() == row.params[i] || row.params[i] == "#" + std::to_string(i);
    if (same) return true;
  }
  return false;
}

std::string signature(const FunctionDecl& callee) {
  std::string out;
  for (const ParmVarDecl* parameter : callee.parameters()) out += (out.empty() ? "" : ", ") + parameter->getNameAsString();
  return out;
}

class Search {
 public:
  Search(ASTContext& context, const std::vector<Decl*>& own,
         const std::function<void(const std::string&, const std::string&, const std::string&)>& tell)
      : context_(context), own_(own), tell_(tell) {}

  void type(const TypeRow& row) {
    const CXXRecordDecl* record = nullptr;
    const TemplateParameterList* parameters = nullptr;
    for (const NamedDecl* found : named(context_, own_, row.name)) {
      if (const auto* pattern = dyn_cast<ClassTemplateDecl>(found)) {
        record = pattern->getTemplatedDecl()->getDefinition();
        parameters = pattern->getTemplateParameters();
      } else if (const auto* own = dyn_cast<CXXRecordDecl>(found)) {
        record = own->getDefinition();
      }
    }
    if (!record) return;
    std::vector<std::string> fields, methods;
    members(record, fields, methods);

    // Rows for other versions of the class say nothing about this one; what they alone map may be missing here.
    std::set<std::string> elsewhere;
    const std::size_t matched = calls(
        row, row.constructors,
        [&](const auto& visit) {
          for (const CXXConstructorDecl* one : record->ctors())
            if (!one->isImplicit() && !one->isCopyOrMoveConstructor()) visit(*one);
        },
        "constructor of " + row.name, elsewhere);
    (void)matched;
    std::map<std::string, std::vector<CallRow>> factories;
    for (const CallRow& call : row.factories) factories[call.name].push_back(call);
    for (const auto& [name, rows] : factories) {
      std::vector<const FunctionDecl*> candidates;
      for (const Decl* declaration : record->decls())
        if (const auto* method = dyn_cast<CXXMethodDecl>(declaration);
            method && method->isStatic() && method->getIdentifier() && method->getName() == name)
          candidates.push_back(method);
      for (const NamedDecl* found : named(context_, own_, name))
        if (const auto* f = dyn_cast<FunctionDecl>(found)) candidates.push_back(f);
      if (candidates.empty()) {
        if (!has(methods, name) && name.find("::") == std::string::npos)
          tell_(row.name + " has no factory " + name, rows[0].path + ".name", nearest(name, methods));
        continue;
      }
      calls(
          row, rows,
          [&](const auto& visit) {
            for (const FunctionDecl* one : candidates) visit(*one);
          },
          name, elsewhere);
    }
    for (const auto& [member, target] : row.fields) {
      if (elsewhere.contains(target.is)) continue;
      field(row, record, member, target);
      for (const auto& [word, canonical] : target.values) enumerator(word, target.path);
    }
    for (const MethodRow& method : row.methods)
      if (!has(methods, method.name))
        tell_(row.name + " has no method " + method.name, method.path + ".name", nearest(method.name, methods));
    if (!row.finish.empty() && !has(methods, row.finish))
      tell_(row.name + " has no method " + row.finish, row.path + ".finish", nearest(row.finish, methods));
    if (!row.fields_through.empty() && !has(fields, row.fields_through))
      tell_(row.name + " has no member " + row.fields_through, row.path + ".fields_through", nearest(row.fields_through, fields));
    if (parameters) {
      std::vector<std::string> names;
      for (const NamedDecl* parameter : *parameters) names.push_back(parameter->getNameAsString());
      for (const auto& [name, target] : row.template_map)
        if (!has(names, name) && !llvm::StringRef(name).starts_with("#") && !has(row.template_params, name))
          tell_(row.name + " has no template parameter " + name, target.path, nearest(name, names));
    }
  }

  void function(const CallRow& row) {
    std::vector<const FunctionDecl*> candidates;
    for (const NamedDecl* found : named(context_, own_, row.name)) {
      if (const auto* f = dyn_cast<FunctionDecl>(found)) candidates.push_back(f);
      if (const auto* pattern = dyn_cast<FunctionTemplateDecl>(found)) candidates.push_back(pattern->getTemplatedDecl());
    }
    if (candidates.empty()) return;
    if (std::none_of(candidates.begin(), candidates.end(), [&](const FunctionDecl* one) { return agrees(row, *one); }))
      tell_(row.name + " has other parameters: " + signature(*candidates[0]), row.path + ".params", "");
  }

 private:
  // How many of the rows fit something that is there; nothing fits: the first is a mistake.
  template <class Each>
  std::size_t calls(const TypeRow&, const std::vector<CallRow>& rows, const Each& each, const std::string& what,
                    std::set<std::string>& elsewhere) {
    std::size_t matched = 0;
    std::string there;
    std::vector<std::string> names;
    std::vector<const CallRow*> others;
    for (const CallRow& call : rows) {
      bool fits = false;
      each([&](const FunctionDecl& one) {
        fits |= agrees(call, one);
        if (there.empty()) there = signature(one);
        for (const ParmVarDecl* parameter : one.parameters()) names.push_back(parameter->getNameAsString());
        // A list that goes on behind the last parameter is for a later version.
        if (agrees(call, one) && call.params.size() > one.getNumParams())
          for (const auto& [parameter, target] : call.map)
            if (std::find(call.params.begin(), call.params.begin() + one.getNumParams(), parameter) ==
                call.params.begin() + one.getNumParams())
              elsewhere.insert(target.is);
      });
      matched += fits;
      if (!fits) others.push_back(&call);
    }
    if (matched == 0 && !rows.empty() && !names.empty()) {
      std::string hint;
      for (const std::string& wanted : rows[0].params)
        if (!has(names, wanted) && hint.empty()) hint = nearest(wanted, names);
      tell_(what + " has other parameters: " + there, rows[0].path + ".params", hint);
    }
    if (matched > 0)
      for (const CallRow* other : others)
        for (const auto& [parameter, target] : other->map) elsewhere.insert(target.is);
    if (matched > 0)  // what fits is here, whatever another row says
      for (const CallRow& call : rows) {
        bool whole = false;
        each([&](const FunctionDecl& one) { whole |= agrees(call, one) && one.getNumParams() >= call.params.size(); });
        if (whole)
          for (const auto& [parameter, target] : call.map) elsewhere.erase(target.is);
      }
    return matched;
  }

  void field(const TypeRow& row, const CXXRecordDecl* record, const std::string& path, const Target& target) {
    llvm::SmallVector<llvm::StringRef, 4> parts;
    llvm::StringRef(path).split(parts, '.');
    for (llvm::StringRef part : parts) {
      if (!record || !record->getDefinition()) return;
      std::vector<std::string> fields, methods;
      members(record, fields, methods);
      if (row.accessors == Accessors::Message) {
        const CXXRecordDecl* inner = nullptr;
        bool found = false;
        for (const CXXMethodDecl* method : record->getDefinition()->methods())
          if (method->getIdentifier() &&
              (method->getName() == ("set_" + part).str() || method->getName() == ("mutable_" + part).str() || method->getName() == part)) {
            found = true;
            const QualType type = method->getReturnType();
            if (const CXXRecordDecl* one =
                    type->isPointerType() ? type->getPointeeCXXRecordDecl() : type.getNonReferenceType()->getAsCXXRecordDecl())
              inner = one;
          }
        if (!found)
          return tell_(qualified(*record) + " has no accessor set_" + part.str(), target.path, nearest("set_" + part.str(), methods));
        record = inner;
        continue;
      }
      if (!has(fields, part)) return tell_(qualified(*record) + " has no member " + part.str(), target.path, nearest(part, fields));
      const CXXRecordDecl* inner = nullptr;
      const auto look = [&](const auto& self, const CXXRecordDecl* in) -> void {
        if (!in || !in->getDefinition()) return;
        for (const FieldDecl* one : in->getDefinition()->fields())
          if (one->getName() == part) inner = one->getType().getNonReferenceType()->getAsCXXRecordDecl();
        for (const CXXBaseSpecifier& base : in->getDefinition()->bases()) self(self, base.getType()->getAsCXXRecordDecl());
      };
      look(look, record);
      record = inner;
    }
  }

  void enumerator(const std::string& word, const std::string& path) {
    const std::size_t colon = word.rfind("::");
    if (colon == std::string::npos) return;
    for (const NamedDecl* found : named(context_, own_, word.substr(0, colon)))
      if (const auto* enumeration = dyn_cast<EnumDecl>(found); enumeration && enumeration->getDefinition()) {
        std::vector<std::string> names;
        for (const EnumConstantDecl* one : enumeration->getDefinition()->enumerators()) names.push_back(one->getNameAsString());
        if (!has(names, word.substr(colon + 2)))
          tell_(word.substr(0, colon) + " has no enumerator " + word.substr(colon + 2), path + ".values." + word,
                nearest(word.substr(colon + 2), names));
        return;
      }
  }

  ASTContext& context_;
  const std::vector<Decl*>& own_;
  const std::function<void(const std::string&, const std::string&, const std::string&)>& tell_;
};

}  // namespace

void find_mistakes(ASTContext& context, const std::vector<Decl*>& own, const Bindings& bindings,
                   const std::function<void(const std::string&, const std::string&, const std::string&)>& tell) {
  Search search(context, own, tell);
  for (const TypeRow& row : bindings.types) search.type(row);
  for (const CallRow& row : bindings.functions) search.function(row);
}

}  // namespace shardlint::cxx
