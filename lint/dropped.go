package lint

import "go/ast"

// drops records that the value of an expression is dropped.
func (c *collector) drops(f *function, e ast.Expr) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return
	}
	if to := callee(c.info, call); wordOf(to) == continues {
		c.add(f, dropped, call.Pos(), "the error of "+callName(call, to), "is dropped, so this execution continues, and is stuck when it completes", "")
	}
}
