package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

func isPackageLevel(v *types.Var) bool {
	return v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// assigned checks a variable that is assigned to, or changed in place.
func (c *collector) assigned(f *function, e ast.Expr, tok token.Token, ours map[ast.Node]bool) {
	if e == nil || tok == token.DEFINE {
		return
	}
	id := c.assignedName(e)
	if id == nil {
		return
	}
	v, ok := c.info.Uses[id].(*types.Var)
	if !ok || !isPackageLevel(v) {
		return
	}
	// The write is reported, not the read.
	ours[id] = true
	c.add(f, global, e.Pos(), "the package-level variable "+nameOf(v, c.pass.Pkg), "is written, and another instance or process sees another value", "")
	file := c.pass.Fset.Position(e.Pos()).Filename
	if _, known := c.written[v]; !known && v.Pkg() == c.pass.Pkg && f.name != "init" && f.key != nil && !strings.HasSuffix(file, "_test.go") {
		c.written[v] = variableFact{Module: c.module(), By: f.name, At: c.at(e.Pos())}
	}
}

// assignedName returns the first name of an assigned expression: x of x.f[i].
func (c *collector) assignedName(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				if _, ok := c.info.Uses[id].(*types.PkgName); ok {
					return x.Sel
				}
			}
			e = x.X
		default:
			return nil
		}
	}
}

// findWritten finds reads of variables that some function writes, and exports facts for the
// packages that import this one.
func (c *collector) findWritten() {
	for v, fact := range c.written {
		c.pass.ExportObjectFact(v, &fact)
	}
	for _, f := range c.functions {
		for _, r := range f.reads {
			var fact variableFact
			if !c.pass.ImportObjectFact(r.variable, &fact) || fact.Module != c.module() {
				continue
			}
			c.add(f, global, r.pos, "the package-level variable "+nameOf(r.variable, c.pass.Pkg), "is written by "+fact.By+", at "+fact.At, "")
		}
	}
}
