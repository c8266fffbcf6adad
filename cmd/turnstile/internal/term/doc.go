// Package term writes for whoever reads: in colours and columns that fit for a
// person at a terminal, plain and whole for a pipe or a file.
package term
