package lint

import (
	"go/ast"
	"go/token"
	"go/types"
)

// kind is the kind of a function.
type kind uint8

const (
	// Plain functions cause findings only where orchestration code calls them.
	_ kind = iota
	// orchestration is orchestration code, in which findings are reported.
	orchestration
	// activity code may do anything except durable calls. Functions given to SideEffect count as
	// activity code.
	activityCode
)

// function is a function, or the initial value of a package-level variable that holds one, with the
// literals in it that have the same kind.
type function struct {
	kind kind
	name string
	// object is a *types.Func or *types.Var, nil for a literal.
	object types.Object
	// key is the object, or the literal.
	key any
	// code is its body, or the initial value.
	code    ast.Node
	effects []effect
	uses    []use
	reads   []read
	reached map[check]reached
}

// effect is an effect of a function's own code.
type effect struct {
	check check
	// what is the name of its cause, and does describes it: "time.Now", "reads the wall clock".
	what, does string
	instead    string
	pos        token.Pos
}

// use is a call, or another mention, of a function.
type use struct {
	pos    token.Pos
	object types.Object
}

// read is where a package-level variable is read.
type read struct {
	pos      token.Pos
	variable *types.Var
}

// nameOf returns the name of a function, as code in the package from would write it.
func nameOf(obj types.Object, from *types.Package) string {
	name := obj.Name()
	if f, ok := obj.(*types.Func); ok {
		if owner := receiverName(f); owner != "" {
			name = owner + "." + name
		}
	}
	if obj.Pkg() != nil && obj.Pkg() != from {
		name = obj.Pkg().Name() + "." + name
	}
	return name
}
