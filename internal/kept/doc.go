// Package kept reads histories that earlier builds have written, together with the programs that wrote them, and replays
// them with the current code. They are stored in testdata/histories, one folder per build, and never change.
//
// A kept program is a tree of statements in JSON (program.go), which the interpreter of this package runs (interpret.go,
// statement.go). A kept history thus depends on no seed and no generator, but on the interpreter, so the meaning of a
// statement must not change: another meaning needs another word.
package kept
