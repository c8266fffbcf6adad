package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// from returns where the order of a value comes from, if it is that of a map; otherwise NoPos.
func (w *flow) from(e ast.Expr) token.Pos {
	switch x := e.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		if v := w.variable(x); v != nil && !w.sorted[v] {
			return w.ordered[v]
		}
	case *ast.ParenExpr:
		return w.from(x.X)
	case *ast.StarExpr:
		return w.from(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return w.from(x.X)
		}
	case *ast.IndexExpr:
		return w.from(x.X)
	case *ast.SliceExpr:
		return w.from(x.X)
	case *ast.BinaryExpr:
		if x.Op == token.ADD {
			return w.fromAny([]ast.Expr{x.X, x.Y})
		}
	case *ast.KeyValueExpr:
		return w.from(x.Value)
	case *ast.CompositeLit:
		return w.fromAny(x.Elts)
	case *ast.CallExpr:
		return w.fromCall(x)
	}
	return token.NoPos
}

func (w *flow) fromAny(all []ast.Expr) token.Pos {
	for _, e := range all {
		if pos := w.from(e); pos != token.NoPos {
			return pos
		}
	}
	return token.NoPos
}

// fromCall knows the calls whose result has the order of their arguments. It assumes that the
// results of all other calls do not depend on that order.
func (w *flow) fromCall(call *ast.CallExpr) token.Pos {
	if tv := w.info.Types[call.Fun]; tv.IsType() {
		return w.fromAny(call.Args)
	}
	if id, ok := call.Fun.(*ast.Ident); ok {
		if b, ok := w.info.Uses[id].(*types.Builtin); ok {
			if b.Name() == "append" {
				return w.fromAny(call.Args)
			}
			return token.NoPos
		}
	}
	to := callee(w.info, call)
	if to == nil || to.Pkg() == nil {
		return token.NoPos
	}
	switch path, name := to.Pkg().Path(), to.Name(); path {
	case "maps":
		if (name == "Keys" || name == "Values" || name == "All") && !w.comments.allows(mapOrder, call.Pos()) {
			return call.Pos()
		}
		return token.NoPos
	case "slices":
		for _, settled := range []string{"Sort", "Contains", "Index", "Max", "Min", "Equal", "IsSorted"} {
			if strings.HasPrefix(name, settled) {
				return token.NoPos
			}
		}
		return w.fromAny(call.Args)
	case "strings":
		if name == "Join" {
			return w.fromAny(call.Args)
		}
		return token.NoPos
	case "fmt", "errors":
		return w.fromAny(call.Args)
	}
	if w.isMapOrdered(to) && !w.comments.allows(mapOrder, call.Pos()) {
		return call.Pos()
	}
	return token.NoPos
}

func (w *flow) isMapOrdered(f *types.Func) bool {
	if f.Pkg() == w.pass.Pkg {
		return w.mapOrdered[f]
	}
	var fact functionFact
	return w.pass.ImportObjectFact(f, &fact) && fact.MapOrdered && fact.Module == w.module()
}

// sorts returns the variable that a call sorts.
func (w *flow) sorts(call *ast.CallExpr) types.Object {
	to := callee(w.info, call)
	if to == nil || to.Pkg() == nil || len(call.Args) == 0 {
		return nil
	}
	path := to.Pkg().Path()
	if path != "sort" && (path != "slices" || !strings.HasPrefix(to.Name(), "Sort") || strings.HasPrefix(to.Name(), "Sorted")) {
		return nil
	}
	arg := call.Args[0]
	for {
		inner, ok := arg.(*ast.CallExpr) // sort.Sort(byName(all)), sort.Reverse
		if !ok || len(inner.Args) != 1 {
			return w.variable(arg)
		}
		arg = inner.Args[0]
	}
}

// variable returns the variable or field that an expression names, or whose element it is.
func (w *flow) variable(e ast.Expr) types.Object {
	switch x := e.(type) {
	case *ast.Ident:
		if v, ok := w.info.ObjectOf(x).(*types.Var); ok {
			return v
		}
	case *ast.SelectorExpr:
		if v, ok := w.info.Uses[x.Sel].(*types.Var); ok {
			return v
		}
	case *ast.ParenExpr:
		return w.variable(x.X)
	case *ast.StarExpr:
		return w.variable(x.X)
	case *ast.IndexExpr:
		return w.variable(x.X)
	case *ast.SliceExpr:
		return w.variable(x.X)
	}
	return nil
}

// firstDurable returns the first durable call in code, nil if there is none.
func (w *flow) firstDurable(code ast.Node) *ast.CallExpr {
	var first *ast.CallExpr
	w.own(code, func(n ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok && first == nil && w.isDurable(call) {
			first = call
		}
	})
	return first
}

// isDurable reports whether a call writes to history, or passes code that does.
func (w *flow) isDurable(call *ast.CallExpr) bool {
	to := callee(w.info, call)
	if passesContext(w.info, call) && w.leavesHistory(to) {
		return true
	}
	if id, ok := call.Fun.(*ast.Ident); ok && w.closures[w.info.Uses[id]] {
		return true
	}
	for _, arg := range call.Args {
		if l, ok := arg.(*ast.FuncLit); ok {
			if s, ok := w.info.TypeOf(l).(*types.Signature); ok && isOrchestrationCode(s) && wordOf(to) != orchestrationIs {
				return true
			}
		}
	}
	if to == nil {
		return false
	}
	if f := w.byObject[to]; f != nil {
		_, ok := f.reached[durable]
		return ok
	}
	var fact functionFact
	if to.Pkg() != w.pass.Pkg && w.pass.ImportObjectFact(to, &fact) {
		for _, r := range fact.Reached {
			if r.Check == durable {
				return true
			}
		}
	}
	return false
}
