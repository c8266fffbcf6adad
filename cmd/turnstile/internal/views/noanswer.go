package views

import (
	"errors"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/client"
)

// NoAnswer adds the kind to the text of an error of a query, and the stack of a panic in separate lines.
// It returns any other error unchanged.
func NoAnswer(err error) error {
	no, is := errors.AsType[*client.QueryError](err)
	if !is {
		return err
	}
	stack := strings.TrimSpace(no.Stack)
	if stack != "" {
		stack = "\n" + stack
	}
	return fmt.Errorf("%w (%s)%s", err, no.Kind, stack)
}
