// Package term formats output for its reader: with colours and fitting columns for a person at a
// terminal, plain and complete for a pipe or a file.
package term
