// Package console is the console: the handler behind the public package of that name, with the
// options that only the command line and package embedded need.
package console
