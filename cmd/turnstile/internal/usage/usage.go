// Package usage has the error for an invalid command line, which ends the command with exit status
// 2.
package usage

import "fmt"

// Error describes what is wrong with the command line.
type Error struct{ Problem string }

// Error returns the problem.
func (e *Error) Error() string { return e.Problem }

// Errorf returns an [Error].
func Errorf(format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...)}
}
