package lint

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// collector gathers what the functions of a package do.
type collector struct {
	pass     *analysis.Pass
	info     *types.Info
	comments *comments
	// functions are sorted by their place in the source.
	functions []*function
	byObject  map[types.Object]*function
	literals  map[*ast.FuncLit]*function
	// handlers are the literals that answer queries or validate updates.
	handlers []handler
	// implementations are the arguments of Orchestration.Implement: *types.Func or *ast.FuncLit.
	implementations map[any]bool
	// mapOrdered are the functions whose results depend on the order of a map.
	mapOrdered map[types.Object]bool
	// written are the package-level variables that functions write.
	written map[*types.Var]variableFact
}

func (c *collector) collect() {
	for _, file := range c.pass.Files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				c.declared(d)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok {
						c.initialized(v)
					}
				}
			}
		}
	}
}

func (c *collector) declared(d *ast.FuncDecl) {
	obj, ok := c.info.Defs[d.Name].(*types.Func)
	if !ok || d.Body == nil {
		return
	}
	f := &function{name: nameOf(obj, c.pass.Pkg), object: obj, key: obj, code: d.Body}
	if isOrchestrationCode(obj.Signature()) {
		f.kind = orchestration
	}
	c.function(f)
}

// initialized adds the initial values of package-level variables. A variable that holds a function
// counts as a function, and every value may contain literals.
func (c *collector) initialized(v *ast.ValueSpec) {
	for i, value := range v.Values {
		f := &function{name: "a variable", code: value}
		if len(v.Names) == len(v.Values) {
			if obj, ok := c.info.Defs[v.Names[i]].(*types.Var); ok && holdsFunction(obj) {
				f.name, f.object, f.key = obj.Name(), obj, obj
			}
		}
		c.function(f)
	}
}

func holdsFunction(v *types.Var) bool {
	_, ok := v.Type().Underlying().(*types.Signature)
	return ok
}

// function adds a function and checks its code.
func (c *collector) function(f *function) {
	f.reached = map[check]reached{}
	c.functions = append(c.functions, f)
	if f.object != nil {
		c.byObject[f.object] = f
	}
	c.look(f, f.code)
}

// literal adds a function literal, or an expression that stands for a function, whose kind differs
// from that of the enclosing function.
func (c *collector) literal(in *function, k kind, e ast.Expr) {
	f := &function{kind: k, name: "a function in " + in.name, key: e, code: e}
	if l, ok := e.(*ast.FuncLit); ok {
		f.code = l.Body
		c.literals[l] = f
	}
	c.function(f)
}

// look checks code of f.
func (c *collector) look(f *function, code ast.Node) {
	// ours are nodes that were already checked together with a parent node.
	ours := map[ast.Node]bool{}
	ast.Inspect(code, func(n ast.Node) bool {
		if ours[n] {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			if s, ok := c.info.TypeOf(n).(*types.Signature); ok && isOrchestrationCode(s) {
				c.literal(f, orchestration, n)
				return false
			}
		case *ast.ExprStmt:
			c.drops(f, n.X)
		case *ast.DeferStmt:
			c.drops(f, n.Call)
		case *ast.GoStmt:
			c.add(f, goroutine, n.Pos(), "a go statement", "starts work that replay does not control", "")
			// Its code is not checked, because the statement should not exist at all.
			return f.kind == activityCode
		case *ast.SelectStmt:
			c.add(f, channel, n.Pos(), "a select statement", "depends on which channel is ready first", "")
			for _, clause := range n.Body.List {
				if clause, ok := clause.(*ast.CommClause); ok && clause.Comm != nil {
					ours[clause.Comm] = true
				}
			}
		case *ast.SendStmt:
			c.add(f, channel, n.Pos(), "a send on a channel", "waits for another goroutine", "")
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				c.add(f, channel, n.Pos(), "a receive from a channel", "waits for another goroutine", "")
			}
		case *ast.RangeStmt:
			if t := c.info.TypeOf(n.X); t != nil && isChannel(t) {
				c.add(f, channel, n.Pos(), "a receive from a channel", "waits for another goroutine", "")
			}
			c.assigned(f, n.Key, n.Tok, ours)
			c.assigned(f, n.Value, n.Tok, ours)
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				for i, e := range n.Lhs {
					if id, ok := e.(*ast.Ident); ok && id.Name == "_" {
						c.drops(f, n.Rhs[i])
					}
				}
			}
			for _, e := range n.Lhs {
				c.assigned(f, e, n.Tok, ours)
			}
		case *ast.IncDecStmt:
			c.assigned(f, n.X, n.Tok, ours)
		case *ast.CallExpr:
			return c.call(f, n, ours)
		case *ast.SelectorExpr:
			if !ours[n.Sel] {
				pos := n.Pos()
				if _, selects := c.info.Selections[n]; selects {
					pos = n.Sel.Pos() // Each call of a chain has its own position.
				}
				c.mention(f, n.Sel, pos)
				ours[n.Sel] = true
			}
		case *ast.Ident:
			c.mention(f, n, n.Pos())
		}
		return true
	})
}

// call checks a call, and reports whether its parts still have to be checked.
func (c *collector) call(f *function, call *ast.CallExpr, ours map[ast.Node]bool) bool {
	if builtin, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := c.info.Uses[builtin].(*types.Builtin); ok {
			c.builtin(f, b.Name(), call, ours)
			return true
		}
	}
	to := callee(c.info, call)
	switch w := wordOf(to); {
	case w == sideEffect && len(call.Args) > 0:
		last := call.Args[len(call.Args)-1]
		c.literal(f, activityCode, last)
		ours[last] = true
	case w == activityIs && len(call.Args) == 1:
		c.literal(f, activityCode, call.Args[0])
		ours[call.Args[0]] = true
	case w == queryIs && len(call.Args) == 2:
		if l, ok := ast.Unparen(call.Args[1]).(*ast.FuncLit); ok {
			c.handlers = append(c.handlers, handler{f, l, "is written by the handler of a query, which runs in a copy of the execution: the write is lost", "only read variables in a handler, and return the result"})
		}
		c.literal(f, activityCode, call.Args[1])
		ours[call.Args[1]] = true
	case w == updateIs && len(call.Args) == 3:
		if l, ok := ast.Unparen(call.Args[1]).(*ast.FuncLit); ok {
			c.handlers = append(c.handlers, handler{f, l, "is written by the validator of an update, which does not run on replay: the write is lost there", "only read variables in a validator; write them in the handler"})
		}
		c.literal(f, activityCode, call.Args[1])
		ours[call.Args[1]] = true
	case w == orchestrationIs && len(call.Args) == 1:
		c.implementation(f, call.Args[0], ours)
	case w == changes:
		c.add(f, durable, call.Pos(), callName(call, to), "changes what the instance shows, which only orchestration code can", "")
	case w == fromOutside:
		c.add(f, network, call.Pos(), nameOf(to, nil), "is for callers of orchestrations, and uses the network",
			"use the durable call for it: Call, Start or StartDetached of the orchestration, or an activity")
	}
	if passesContext(c.info, call) && c.leavesHistory(to) {
		c.add(f, durable, call.Pos(), callName(call, to), "is a durable call, which replay expects only in orchestration code", "")
	}
	return true
}

// leavesHistory reports whether a function that takes a Context writes to history, as far as can be
// known from its declaration: a function of Turnstile, or one that is called through a value or an
// interface.
func (c *collector) leavesHistory(to *types.Func) bool {
	if to == nil || types.IsInterface(receiverType(to)) {
		return true
	}
	w := wordOf(to)
	return isTurnstile(to.Pkg().Path()) && w != unrecorded && w != changes && w != queryIs && w != updateIs
}

// implementation records the implementation of an orchestration. A function of another module is
// not linted in its own package, so its findings are reported here.
func (c *collector) implementation(f *function, e ast.Expr, ours map[ast.Node]bool) {
	e = ast.Unparen(e)
	if l, ok := e.(*ast.FuncLit); ok {
		c.implementations[l] = true
		return
	}
	if to := namedFunction(c.info, e); to != nil {
		c.implementations[types.Object(to)] = true
		c.literal(f, orchestration, e)
		ours[e] = true
	}
}

// namedFunction returns the function or method that an expression names.
func namedFunction(info *types.Info, e ast.Expr) *types.Func {
	switch x := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return namedFunction(info, x.X)
	case *ast.IndexListExpr:
		return namedFunction(info, x.X)
	case *ast.Ident:
		if f, ok := info.Uses[x].(*types.Func); ok {
			return f.Origin()
		}
	case *ast.SelectorExpr:
		if f, ok := info.Uses[x.Sel].(*types.Func); ok {
			return f.Origin()
		}
	}
	return nil
}

func callName(call *ast.CallExpr, to *types.Func) string {
	if to != nil {
		return nameOf(to, nil)
	}
	return types.ExprString(call.Fun)
}

func (c *collector) builtin(f *function, name string, call *ast.CallExpr, ours map[ast.Node]bool) {
	if len(call.Args) == 0 {
		return
	}
	first := call.Args[0]
	t := c.info.TypeOf(first)
	switch name {
	case "make":
		if t != nil && isChannel(t) {
			c.add(f, channel, call.Pos(), "a channel", "is made for several goroutines", "")
		}
	case "close":
		c.add(f, channel, call.Pos(), "the close of a channel", "wakes another goroutine", "")
	case "delete", "clear", "copy":
		c.assigned(f, first, token.ASSIGN, ours)
	}
}

func isChannel(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// mention checks a name that is used.
func (c *collector) mention(f *function, id *ast.Ident, pos token.Pos) {
	switch obj := c.info.Uses[id].(type) {
	case *types.Func:
		fn := obj.Origin()
		if r := ruleFor(fn); r != nil {
			c.addRule(f, r, fn, pos)
			return
		}
		if fn.Pkg() != nil && !isTurnstile(fn.Pkg().Path()) && !types.IsInterface(receiverType(fn)) {
			f.uses = append(f.uses, use{pos: pos, object: fn})
		}
	case *types.Var:
		if !isPackageLevel(obj) {
			return
		}
		if r := ruleFor(obj); r != nil {
			c.addRule(f, r, obj, pos)
			return
		}
		if belongsToExecution(obj.Type()) {
			c.add(f, global, pos, "the package-level variable "+nameOf(obj, c.pass.Pkg), "is shared by all instances in the process, but its value belongs to one", "")
			return
		}
		if holdsFunction(obj) {
			f.uses = append(f.uses, use{pos: pos, object: obj})
		}
		f.reads = append(f.reads, read{pos: pos, variable: obj})
	}
}

// receiverType returns the type of a method's receiver, an empty struct for a function.
func receiverType(f *types.Func) types.Type {
	if recv := f.Signature().Recv(); recv != nil {
		return recv.Type()
	}
	return types.NewStruct(nil, nil)
}
