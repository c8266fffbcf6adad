package turnstile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/internal/jsonscan"
)

// Plain returns the text of the error without any part of the value.
func (e *DecodeError) Plain() string {
	return fmt.Sprintf("the %s is not a %s: %s; it is %s of %d bytes, not shown because a codec encodes payloads", named(e.What, e.Name), e.Type, plainProblem(e.Err), jsonscan.Kind(e.Payload), len(e.Payload))
}

// plainProblem describes the decoder's error without the values that it quotes.
func plainProblem(err error) string {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		kind, _, _ := strings.Cut(t.Value, " ") // "number 300"
		return fmt.Sprintf("the %s at offset %d does not fit the type %s", kind, t.Offset, t.Type)
	}
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("it is invalid JSON at offset %d", s.Offset)
	}
	return fmt.Sprintf("its decoder returned an error of type %T", err)
}
