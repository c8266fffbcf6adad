package edge

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/panics"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// PanicText returns the text of a panic in an activity, or in a function that orchestration code
// passed in; see panics.Plain. No codec encodes this text, so if payloads are encoded it contains
// only the type and the length of the panic's text.
func PanicText(v any, encoded bool) string {
	if !encoded {
		return fmt.Sprint(v)
	}
	if text, ok := panics.Plain(v); ok {
		return text
	}
	return fmt.Sprintf("%T, whose text (%d bytes) is not shown because payloads are encoded", v, len(fmt.Sprint(v)))
}

// Refusal returns why a body is not a work item. If payloads are encoded, it does not quote the
// body, because a sender may have put a payload there in the wrong form.
func (e Edge) Refusal(err error) string {
	parse, ok := errors.AsType[*wire.ParseError](err)
	if e.codecs == nil || !ok {
		return err.Error()
	}
	plain := wire.ParseError{Reason: parse.Reason, Field: parse.Field, Problem: "its value is not shown because payloads are encoded"}
	return plain.Error()
}
