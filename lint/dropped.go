package lint

import "go/ast"

// drops notes that the value of an expression is dropped.
func (c *collector) drops(f *function, e ast.Expr) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return
	}
	if to := callee(c.info, call); wordOf(to) == goesOn {
		c.add(f, dropped, call.Pos(), "what "+callName(call, to)+" returns", "is dropped, so that this execution goes on, and is stuck where it completes", "")
	}
}
