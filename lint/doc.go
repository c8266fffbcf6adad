// Package lint finds what orchestration code may not do, because it is run
// again and again and must do the same every time: read the clock, start
// goroutines, range over a map into durable calls, and so on. docs/lint.md
// lists the checks, and what to use instead.
//
// Orchestration code is each function that is given a turnstile.Context, by a
// parameter or in its receiver, with the function literals in it, and all that
// it calls. Functions given to SideEffect, and activities, are not: in them
// only durable calls are findings.
//
// What the functions of other packages do is known by facts: each package is
// analysed once, its dependencies first. Of the standard library there is a
// table instead (standard.go). Calls through interfaces and function values
// are not followed; a function that is handed to another one counts as called
// where it is handed over.
//
// # Silencing
//
// A comment at the end of the line, or on a line of its own above it, silences
// a finding, and says why:
//
//	//turnstile:allow maporder the sum is the same in any order
//
// In a function that orchestration code calls, it silences the finding at all
// its callers. A comment without a reason is a finding, and one that silences
// nothing.
package lint
