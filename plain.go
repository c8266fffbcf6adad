package turnstile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/engine"
)

// Plain returns the text without any of the value.
func (e *DecodeError) Plain() string {
	return fmt.Sprintf("the %s is not a %s: %s; it is %s of %d bytes, which are sealed", named(e.What, e.Name), e.Type, plainProblem(e.Err), engine.JSONKind(e.Payload), len(e.Payload))
}

// plainProblem says what the decoder found, without what it quotes.
func plainProblem(err error) string {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		kind, _, _ := strings.Cut(t.Value, " ") // "number 300"
		return fmt.Sprintf("the %s at offset %d is no %s", kind, t.Offset, t.Type)
	}
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("it is not JSON from offset %d on", s.Offset)
	}
	return fmt.Sprintf("its decoder returned a %T", err)
}
