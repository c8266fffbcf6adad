package edge

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// PanicText is what a panic of an activity, or of a function that orchestration
// code handed over, says; see engine.PlainPanic. It has no key: of sealed
// payloads it says type and length.
func PanicText(v any, sealed bool) string {
	if !sealed {
		return fmt.Sprint(v)
	}
	if text, ok := engine.PlainPanic(v); ok {
		return text
	}
	return fmt.Sprintf("%T, the text of which (%d bytes) is not shown, for payloads are sealed", v, len(fmt.Sprint(v)))
}

// Refusal says why a body is not a work item. What it quotes may be part of a
// payload that somebody sent in a wrong form.
func (e Edge) Refusal(err error) string {
	parse, ok := errors.AsType[*wire.ParseError](err)
	if e.codecs == nil || !ok {
		return err.Error()
	}
	plain := wire.ParseError{Reason: parse.Reason, Field: parse.Field, Problem: "what it has there is not shown, for payloads are sealed"}
	return plain.Error()
}
