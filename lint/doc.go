// Package lint finds code that makes an orchestration nondeterministic. Orchestration code is
// replayed and must make the same calls each time, so it may not read the clock, start goroutines,
// range over a map into durable calls, and so on. docs/lint.md lists the checks, and what to use
// instead.
//
// Orchestration code is every function that receives a turnstile.Context, as a parameter or in its
// receiver, with the function literals in it, and every function that it calls. Functions given to
// SideEffect, and activities, are not orchestration code: in them only durable calls are findings.
//
// The analyzer knows the functions of other packages from facts: each package is analysed once,
// after its dependencies. The standard library has a table instead (standard.go). Calls through
// interfaces and function values are not followed; a function that is passed to another function
// counts as called where it is passed.
//
// # Silencing
//
// A comment at the end of the line, or on a line of its own above it, silences a finding and gives
// the reason:
//
//	//turnstile:allow maporder the sum is the same in any order
//
// In a function that orchestration code calls, the comment silences the finding at all callers. A
// comment without a reason is a finding, and so is a comment that silences nothing.
package lint
