// Package kept reads histories that earlier builds have written, with the
// programs that wrote them, and replays them on the code of the day. They lie in
// testdata/histories, a folder for each build, and are never written again.
//
// A kept program is a tree of statements in JSON (program.go), which an
// interpreter of this package runs (interpret.go, statement.go): no seed, and no
// generator, stands between a history and its program. So the interpreter may not
// change what a statement does: another meaning needs another word.
package kept
