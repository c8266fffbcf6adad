// Package picture draws the timeline of an instance in a terminal: a row an
// operation, a bar for what it did and when.
package picture
