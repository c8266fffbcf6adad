package timer

import (
	"fmt"
	"unicode/utf8"
)

// InvalidScheduleError says why a schedule cannot be created. Nothing has been created.
type InvalidScheduleError struct {
	// Name of the schedule.
	Name string
	// Field is "name", "due" or "body".
	Field string
	// Problem, with the value and the limit.
	Problem string
}

func (e *InvalidScheduleError) Error() string {
	return fmt.Sprintf("timer: schedule %q was not created: %s: %s", e.Name, e.Field, e.Problem)
}

// MaxBody of a schedule, in bytes.
const MaxBody = 256 << 10

// Validate returns an *InvalidScheduleError if no service would accept the schedule, and
// nil otherwise. A due time in the past is not an error here.
func (s Schedule) Validate() error {
	invalid := func(field, format string, args ...any) error {
		return &InvalidScheduleError{Name: s.Name, Field: field, Problem: fmt.Sprintf(format, args...)}
	}
	if s.Name == "" || len(s.Name) > MaxName {
		return invalid("name", "it has %d characters; 1 to %d are allowed: use timer.Name", len(s.Name), MaxName)
	}
	for i, r := range s.Name {
		if !nameRune(r) {
			return invalid("name", "%q at %d is not allowed; only letters, digits, '-', '_' and '.' are: use timer.Name", r, i)
		}
	}
	if s.Due.IsZero() {
		return invalid("due", "it is not set")
	}
	if s.Body == "" || len(s.Body) > MaxBody || !utf8.ValidString(s.Body) {
		return invalid("body", "it has %d bytes; 1 to %d bytes of valid UTF-8 are allowed", len(s.Body), MaxBody)
	}
	return nil
}
