package lint

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// These are the packages with which orchestrations are written.
const (
	rootPath   = "github.com/turnstile-go/turnstile"
	clientPath = rootPath + "/client"
	enginePath = rootPath + "/engine"
)

// inside are the packages of Turnstile that are not checked. They are tested in other ways, and
// some of them have to read a clock.
var inside = []string{
	"activity", "awslambda", "client", "embedded", "engine", "history", "host", "queue", "store", "timer", "turnstiletest", "wire",
}

// isTurnstile reports whether a package is one of Turnstile's own, other than
// its examples and tests.
func isTurnstile(path string) bool {
	if path == rootPath {
		return true
	}
	below, ok := strings.CutPrefix(path, rootPath+"/")
	first, _, _ := strings.Cut(below, "/")
	if !ok {
		return false
	}
	return slices.Contains(inside, first)
}

// isStandard reports whether the package is part of the standard library, which has rules in
// tables.
func isStandard(pass *analysis.Pass) bool {
	if pass.Module != nil && pass.Module.Path != "" && pass.Module.Path != "std" {
		return false
	}
	first, _, _ := strings.Cut(pass.Pkg.Path(), "/")
	return !strings.Contains(first, ".") && first != "command-line-arguments"
}

// isContext reports whether t is the context of durable calls: turnstile.Context, or
// *engine.Context.
func isContext(t types.Type) bool {
	if t == nil {
		return false
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Name() != "Context" {
		return false
	}
	path := n.Obj().Pkg().Path()
	return path == rootPath || path == enginePath
}

// carriesContext reports whether t is a Context, a struct with a Context field, or a pointer to
// either.
func carriesContext(t types.Type) bool {
	if isContext(t) {
		return true
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if isContext(f.Type()) {
			return true
		}
	}
	return false
}

// ofOneExecution are the types of Turnstile whose values belong to one execution.
var ofOneExecution = []string{"Context", "Future", "Mutex", "Saga", "Semaphore", "WaitGroup"}

// belongsToExecution reports whether t, or the type that it points to, is such a type.
func belongsToExecution(t types.Type) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == rootPath && slices.Contains(ofOneExecution, n.Obj().Name())
}

// isOrchestrationCode reports whether a function with that signature is orchestration code, because
// only orchestration code receives a Context.
func isOrchestrationCode(s *types.Signature) bool {
	if s.Recv() != nil && carriesContext(s.Recv().Type()) {
		return true
	}
	for p := range s.Params().Variables() {
		if carriesContext(p.Type()) {
			return true
		}
	}
	return false
}

// word is the kind of a call of the root package that matters here.
type word uint8

const (
	otherWord word = iota
	// sideEffect's function runs outside of replay, once.
	sideEffect
	// activityIs joins an activity to its implementation.
	activityIs
	// orchestrationIs joins an orchestration to its implementation.
	orchestrationIs
	// queryIs registers the handler of a query, which runs outside of replay.
	queryIs
	// updateIs registers the validator of an update, which runs outside of replay, and its handler, which
	// is orchestration code.
	updateIs
	// unrecorded takes a Context and records nothing.
	unrecorded
	// changes takes a Context, and changes what an instance shows.
	changes
	// oneAfterAnother calls its function immediately, possibly several times.
	oneAfterAnother
	// compensation keeps its function for the end.
	compensation
	// continues takes effect only when the orchestration returns its error.
	continues
	// fromOutside is for callers of orchestrations, not for orchestrations.
	fromOutside
)

func wordOf(f *types.Func) word {
	if f == nil || f.Pkg() == nil {
		return otherWord
	}
	switch f.Pkg().Path() {
	case rootPath, enginePath:
	case clientPath:
		return wordOfClient(f)
	default:
		return otherWord
	}
	switch receiverName(f) + "." + f.Name() {
	case ".SideEffect", "Context.SideEffect":
		return sideEffect
	case "Activity.Implement":
		return activityIs
	case "Orchestration.Implement":
		return orchestrationIs
	case "Query.Handle", "Context.HandleQuery":
		return queryIs
	case "Update.Handle":
		return updateIs
	case ".Poll":
		return oneAfterAnother
	case "Saga.Add":
		return compensation
	case "Orchestration.ContinueAsNew", "Context.ContinueAsNew":
		return continues
	case ".Info", ".Logger", ".WithoutCancel", ".WithCancel", ".WithHeaders", ".AfterCommit", ".SearchAttributesOf":
		return unrecorded
	case "State.Set", "Context.SetState", ".SetSearchAttributes":
		return changes
	}
	return otherWord
}

// wordOfClient is wordOf for package client, in which every function that does I/O takes a
// context.Context first.
func wordOfClient(f *types.Func) word {
	if f.Signature().Params().Len() == 0 {
		return otherWord
	}
	n, ok := types.Unalias(f.Signature().Params().At(0).Type()).(*types.Named)
	if ok && n.Obj().Name() == "Context" && n.Obj().Pkg().Path() == "context" {
		return fromOutside
	}
	return otherWord
}

// callee returns the function or method that a call names, its generic form
// for an instance; nil for a function value.
func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	f, _ := typeutil.Callee(info, call).(*types.Func)
	if f == nil {
		return nil
	}
	return f.Origin()
}

// passesContext reports whether a call passes a Context.
func passesContext(info *types.Info, call *ast.CallExpr) bool {
	for _, arg := range call.Args {
		if isContext(info.TypeOf(arg)) {
			return true
		}
	}
	return false
}
