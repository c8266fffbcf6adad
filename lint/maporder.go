package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// findMapOrder finds where the order of a map reaches a durable call: in the body of a loop over a
// map, or through a value that such a loop has built.
func (c *collector) findMapOrder() {
	// Whether a function returns a map-ordered value can depend on other functions.
	for changed := true; changed; {
		changed = false
		for _, f := range c.functions {
			if f.object != nil && f.kind != activityCode && !c.mapOrdered[f.object] && c.flowOf(f).returns() != token.NoPos {
				c.mapOrdered[f.object] = true
				changed = true
			}
		}
	}
	for _, f := range c.functions {
		if f.kind != activityCode {
			c.flowOf(f).report()
		}
	}
}

// flow follows the order of maps through one function. It ignores the order of statements: a value
// that is sorted anywhere counts as sorted.
type flow struct {
	*collector
	f *function
	// ordered are variables and fields whose value depends on the order of a map, each with the
	// position where the order comes from.
	ordered map[types.Object]token.Pos
	sorted  map[types.Object]bool
	// closures are local variables that hold functions with durable calls.
	closures map[types.Object]bool
}

func (c *collector) flowOf(f *function) *flow {
	w := &flow{collector: c, f: f, ordered: map[types.Object]token.Pos{}, sorted: map[types.Object]bool{}, closures: map[types.Object]bool{}}
	w.own(f.code, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			if v := w.sorts(n); v != nil {
				w.sorted[v] = true
			}
		case *ast.AssignStmt:
			w.pairs(n.Lhs, n.Rhs, w.closure)
		case *ast.ValueSpec:
			w.pairs(expressions(n.Names), n.Values, w.closure)
		}
	})
	for before := -1; before < len(w.ordered); {
		before = len(w.ordered)
		w.own(f.code, w.spread)
	}
	return w
}

// own visits the code of the function itself, without branches and functions given to SideEffect,
// which are separate functions.
func (w *flow) own(code ast.Node, visit func(ast.Node)) {
	ast.Inspect(code, func(n ast.Node) bool {
		if l, ok := n.(*ast.FuncLit); ok && n != code {
			if w.literals[l] != nil {
				return false
			}
		}
		if n != nil {
			visit(n)
		}
		return true
	})
}

func (w *flow) pairs(left, right []ast.Expr, each func(l, r ast.Expr)) {
	for i, l := range left {
		if len(right) == len(left) {
			each(l, right[i])
		} else if len(right) == 1 {
			each(l, right[0])
		}
	}
}

func expressions(names []*ast.Ident) []ast.Expr {
	all := make([]ast.Expr, len(names))
	for i, n := range names {
		all[i] = n
	}
	return all
}

func (w *flow) closure(l, r ast.Expr) {
	if lit, ok := r.(*ast.FuncLit); ok && w.firstDurable(lit.Body) != nil {
		if v := w.variable(l); v != nil {
			w.closures[v] = true
		}
	}
}

// spread records which variables become map-ordered by one statement.
func (w *flow) spread(n ast.Node) {
	switch n := n.(type) {
	case *ast.RangeStmt:
		if w.inMapOrder(n) != token.NoPos {
			w.own(n.Body, func(inner ast.Node) { w.collected(n, inner) })
		}
	case *ast.AssignStmt:
		w.pairs(n.Lhs, n.Rhs, w.assign)
	case *ast.ValueSpec:
		w.pairs(expressions(n.Names), n.Values, w.assign)
	}
}

func (w *flow) assign(l, r ast.Expr) {
	if from := w.from(r); from != token.NoPos {
		w.mark(w.variable(l), from)
	}
}

// collected records the variables that a loop over a map builds, with append or by adding to a
// string.
func (w *flow) collected(loop *ast.RangeStmt, n ast.Node) {
	a, ok := n.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return
	}
	if index, ok := a.Lhs[0].(*ast.IndexExpr); ok && w.mentions(index.Index, loop) {
		return // Each key has its own element.
	}
	v := w.variable(a.Lhs[0])
	if v == nil || v.Pos() >= loop.Pos() && v.Pos() < loop.End() {
		return
	}
	appends := false
	if call, ok := a.Rhs[0].(*ast.CallExpr); ok {
		if id, ok := call.Fun.(*ast.Ident); ok {
			b, _ := w.info.Uses[id].(*types.Builtin)
			appends = b != nil && b.Name() == "append"
		}
	}
	basic, _ := v.Type().Underlying().(*types.Basic)
	if appends || a.Tok == token.ADD_ASSIGN && basic != nil && basic.Info()&types.IsString != 0 {
		w.mark(v, loop.Pos())
	}
}

// mentions reports whether e uses a variable that the loop sets.
func (w *flow) mentions(e ast.Expr, loop *ast.RangeStmt) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v := w.info.Uses[id]
			found = found || v != nil && v.Pos() >= loop.Pos() && v.Pos() < loop.Body.End()
		}
		return true
	})
	return found
}

func (w *flow) mark(v types.Object, from token.Pos) {
	if v == nil || w.sorted[v] {
		return
	}
	if _, known := w.ordered[v]; !known && !w.comments.allows(mapOrder, from) {
		w.ordered[v] = from
	}
}

// inMapOrder returns where the order of a loop comes from, if it is the order of a map and the loop
// uses the key or the value.
func (w *flow) inMapOrder(r *ast.RangeStmt) token.Pos {
	if blank(r.Key) && blank(r.Value) {
		return token.NoPos
	}
	if t := w.info.TypeOf(r.X); t != nil && isMap(t) {
		return r.Pos()
	}
	return w.from(r.X)
}

// isMap reports whether t is a map, or a type parameter that can be a map.
func isMap(t types.Type) bool {
	parameter, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		_, ok := t.Underlying().(*types.Map)
		return ok
	}
	constraint, _ := parameter.Constraint().Underlying().(*types.Interface)
	for embedded := range constraint.EmbeddedTypes() {
		union, ok := embedded.(*types.Union)
		if !ok {
			continue
		}
		for term := range union.Terms() {
			if isMap(term.Type()) {
				return true
			}
		}
	}
	return false
}

func blank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return e == nil || ok && id.Name == "_"
}

// report adds the findings to the function.
func (w *flow) report() {
	told := map[token.Pos]bool{}
	w.own(w.f.code, func(n ast.Node) {
		r, ok := n.(*ast.RangeStmt)
		if !ok {
			return
		}
		from := w.inMapOrder(r)
		if from == token.NoPos {
			return
		}
		if call := w.firstDurable(r.Body); call != nil {
			told[r.Pos()] = true
			w.add(w.f, mapOrder, r.Pos(), "the order of a map"+w.comesFrom(r.Pos(), from), fmt.Sprintf("decides the order of durable calls: %s, at %s",
				callName(call, callee(w.info, call)), w.at(call.Pos())), "")
		}
	})
	w.own(w.f.code, func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || !w.isDurable(call) {
			return
		}
		for _, arg := range call.Args {
			if from := w.from(arg); from != token.NoPos && !told[from] {
				w.add(w.f, mapOrder, call.Pos(), "the order of a map"+w.comesFrom(call.Pos(), from),
					"reaches a durable call: "+callName(call, callee(w.info, call)), "")
				return
			}
		}
	})
	if w.implementations[w.f.key] {
		if pos := w.returns(); pos != token.NoPos {
			w.add(w.f, mapOrder, pos, "the order of a map", "reaches the output of the orchestration, which is recorded", "")
		}
	}
}

func (w *flow) comesFrom(pos, from token.Pos) string {
	if w.at(pos) == w.at(from) {
		return ""
	}
	return " (of " + w.at(from) + ")"
}

// returns returns where the function returns a map-ordered value.
func (w *flow) returns() token.Pos {
	found := token.NoPos
	ast.Inspect(w.f.code, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if r, ok := n.(*ast.ReturnStmt); ok && found == token.NoPos {
			for _, e := range r.Results {
				if w.from(e) != token.NoPos {
					found = r.Pos()
				}
			}
		}
		return true
	})
	return found
}
