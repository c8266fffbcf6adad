// Package picture draws the timeline of an instance in a terminal, with a row for each operation
// and a bar that shows what it did and when.
package picture
