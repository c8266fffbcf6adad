package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
)

// findCaptures finds variables that branches share in a way that makes the outcome depend on the
// order of the branches: each branch writes the variable, or a loop assigns another value before
// the branches start. A branch is a function literal with a Context that is passed to Turnstile; it
// first runs when its parent waits.
func (c *collector) findCaptures() {
	for _, f := range c.functions {
		if f.kind != orchestration {
			continue
		}
		branches := c.branches(f)
		for _, b := range branches {
			for _, v := range c.captured(b.literal) {
				c.judge(b, v, branches)
			}
		}
	}
}

// findLostWrites finds handlers of queries and validators of updates that write a variable of the
// orchestration. A handler runs in a copy, and a validator does not run on replay, so the write is lost.
func (c *collector) findLostWrites() {
	for _, h := range c.handlers {
		for _, v := range c.captured(h.literal) {
			if pos := c.assignsTo(h.literal.Body, v); pos != token.NoPos {
				c.add(h.in, capture, pos, "the captured variable "+v.Name(), h.why, h.instead)
			}
		}
	}
}

// handler is a literal that answers a query of the orchestration code in, or validates an update.
type handler struct {
	in      *function
	literal *ast.FuncLit
	// why it must not write variables, and what to do instead.
	why, instead string
}

// assignsTo returns where code assigns to a variable, or to a part of it.
func (c *collector) assignsTo(code ast.Node, v *types.Var) token.Pos {
	found := token.NoPos
	check := func(e ast.Expr) {
		for pos := e; ; {
			switch x := e.(type) {
			case *ast.Ident:
				if found == token.NoPos && c.info.Uses[x] == v {
					found = pos.Pos()
				}
				return
			case *ast.SelectorExpr:
				e = x.X
			case *ast.IndexExpr:
				e = x.X
			case *ast.StarExpr:
				e = x.X
			case *ast.ParenExpr:
				e = x.X
			default:
				return
			}
		}
	}
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				check(e)
			}
		case *ast.IncDecStmt:
			check(n.X)
		case *ast.RangeStmt:
			check(n.Key)
			check(n.Value)
		}
		return true
	})
	return found
}

// branch is one place where branches are started.
type branch struct {
	literal *ast.FuncLit
	call    *ast.CallExpr
	// loops are the loops around the call, outermost first.
	loops []ast.Stmt
	// many is true if one call runs the literal several times, as Map does.
	many bool
	// deferred is true if the literal runs after all others. It can read a value too late, but
	// affects no other branch.
	deferred bool
}

func (c *collector) branches(f *function) []branch {
	literals := map[types.Object]*ast.FuncLit{}
	var all []branch
	var stack []ast.Node
	ast.Inspect(f.code, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch n := n.(type) {
		case *ast.GoStmt:
			stack = stack[:len(stack)-1]
			return false // The go statement itself is a finding; its code is not checked.
		case *ast.AssignStmt:
			for i, r := range n.Rhs {
				if l, ok := r.(*ast.FuncLit); ok && len(n.Lhs) == len(n.Rhs) {
					if id, ok := n.Lhs[i].(*ast.Ident); ok {
						literals[c.info.ObjectOf(id)] = l
					}
				}
			}
		case *ast.FuncLit:
			if ast.Node(n) != f.code && c.isBranch(n) {
				stack = stack[:len(stack)-1]
				return false // It is a separate function.
			}
		case *ast.CallExpr:
			to := callee(c.info, n)
			if to == nil || to.Pkg() == nil || !isTurnstile(to.Pkg().Path()) {
				return true
			}
			w := wordOf(to)
			if w == orchestrationIs || w == oneAfterAnother {
				return true
			}
			for _, arg := range n.Args {
				l, ok := ast.Unparen(arg).(*ast.FuncLit)
				if id, isName := ast.Unparen(arg).(*ast.Ident); isName {
					l = literals[c.info.Uses[id]]
					ok = l != nil
				}
				if ok && c.isBranch(l) {
					all = append(all, branch{literal: l, call: n, loops: loopsOf(stack), many: l.Type.Params.NumFields() > 1, deferred: w == compensation})
				}
			}
		}
		return true
	})
	return all
}

func (c *collector) isBranch(l *ast.FuncLit) bool {
	s, ok := c.info.TypeOf(l).(*types.Signature)
	return ok && isOrchestrationCode(s)
}

// loopsOf returns the loops of a path of nodes, from the innermost function on.
func loopsOf(path []ast.Node) []ast.Stmt {
	var loops []ast.Stmt
	for _, n := range path {
		switch n := n.(type) {
		case *ast.FuncLit:
			loops = nil
		case *ast.ForStmt, *ast.RangeStmt:
			loops = append(loops, n.(ast.Stmt))
		}
	}
	return loops
}

// captured returns the local variables of enclosing functions that a literal uses, in order.
func (c *collector) captured(l *ast.FuncLit) []*types.Var {
	var all []*types.Var
	seen := map[*types.Var]bool{}
	ast.Inspect(l.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v, ok := c.info.Uses[id].(*types.Var)
			if ok && !seen[v] && !v.IsField() && !isPackageLevel(v) && !within(v.Pos(), l) {
				seen[v] = true
				all = append(all, v)
			}
		}
		return true
	})
	return all
}

func within(pos token.Pos, n ast.Node) bool { return n.Pos() <= pos && pos < n.End() }

func (c *collector) judge(b branch, v *types.Var, branches []branch) {
	inLoop := ast.Stmt(nil)
	for _, l := range b.loops {
		if !within(v.Pos(), l) {
			inLoop = l
			break
		}
	}
	owner := c.literals[b.literal]
	if write := c.writes(b.literal.Body, v, nil); write != token.NoPos && !b.deferred {
		others := ""
		switch {
		case b.many, inLoop != nil:
			others = "each of these branches writes it"
		default:
			for _, other := range branches {
				if other.literal != b.literal && !other.deferred && c.uses(other.literal, v) {
					others = "the branch of " + c.at(other.call.Pos()) + " uses it too"
				}
			}
		}
		if others != "" {
			c.add(owner, capture, write, "the captured variable "+v.Name(), fmt.Sprintf("is written, and %s: its final value depends on which of them runs last", others), "")
			return
		}
	}
	if inLoop != nil && c.writes(inLoop, v, branches) != token.NoPos {
		c.add(owner, capture, c.firstUse(b.literal, v), "the captured variable "+v.Name(), "gets another value in each iteration of the loop, before the branch first runs", "")
		return
	}
	if loop := c.oldLoop(b, v); loop {
		c.add(owner, capture, c.firstUse(b.literal, v), "the captured loop variable "+v.Name(), "is shared by all iterations before Go 1.22, and has its last value when the branch first runs", "")
	}
}

// writes returns where code assigns to a variable so that the last assignment wins, outside of the
// branches in except. Adding to a number has the same result in any order, and each element of a
// slice or map is a separate variable.
func (c *collector) writes(code ast.Node, v *types.Var, except []branch) token.Pos {
	found := token.NoPos
	is := func(e ast.Expr) bool {
		for {
			switch x := e.(type) {
			case *ast.Ident:
				return c.info.Uses[x] == v
			case *ast.SelectorExpr:
				e = x.X
			case *ast.StarExpr:
				e = x.X
			case *ast.ParenExpr:
				e = x.X
			default:
				return false
			}
		}
	}
	ast.Inspect(code, func(n ast.Node) bool {
		for _, b := range except {
			if n == ast.Node(b.literal) {
				return false
			}
		}
		if found != token.NoPos {
			return false
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN && !c.passesInside(n.Rhs) {
				return true
			}
			for _, e := range n.Lhs {
				if is(e) {
					found = e.Pos()
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN && (n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value)) {
				found = n.Pos()
			}
		case *ast.IncDecStmt:
			if except != nil && is(n.X) {
				found = n.Pos()
			}
		}
		return true
	})
	return found
}

// passesInside reports whether the expression that is added to a variable contains a durable call:
// other branches may write the variable between its read and its write.
func (c *collector) passesInside(all []ast.Expr) bool {
	found := false
	for _, e := range all {
		ast.Inspect(e, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			found = found || ok && passesContext(c.info, call)
			return true
		})
	}
	return found
}

func (c *collector) uses(l *ast.FuncLit, v *types.Var) bool { return c.firstUse(l, v) != token.NoPos }

func (c *collector) firstUse(l *ast.FuncLit, v *types.Var) token.Pos {
	found := token.NoPos
	ast.Inspect(l.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && found == token.NoPos && c.info.Uses[id] == v {
			found = id.Pos()
		}
		return true
	})
	return found
}

// oldLoop reports whether v is the variable of a loop around the branch, in a file with a Go
// version in which all iterations share it.
func (c *collector) oldLoop(b branch, v *types.Var) bool {
	for _, l := range b.loops {
		body := ast.Node(nil)
		switch l := l.(type) {
		case *ast.ForStmt:
			body = l.Body
		case *ast.RangeStmt:
			body = l.Body
		}
		if !within(v.Pos(), l) || within(v.Pos(), body) {
			continue
		}
		for _, file := range c.pass.Files {
			if within(l.Pos(), file) {
				v := c.info.FileVersions[file]
				return v != "" && version.Compare(v, "go1.22") < 0
			}
		}
	}
	return false
}
