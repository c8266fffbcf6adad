package wire

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/jsonscan"
)

// FailureOf converts a failure of package history to its form in a work item; nil for
// nil. The result is always accepted by Parse: texts over the default limit are
// truncated, bytes that are not UTF-8 become U+FFFD, and details that are not JSON or
// exceed their limit become a JSON string that says so.
func FailureOf(f *history.Failure) *Failure { return Limits{}.FailureOf(f) }

// FailureOf is the function FailureOf within these limits.
func (l Limits) FailureOf(f *history.Failure) *Failure {
	if f == nil {
		return nil
	}
	l = l.withDefaults()
	details := json.RawMessage(f.Details)
	switch {
	case len(details) > l.Payload:
		details = json.RawMessage(`"details left out: over the payload limit"`)
	case len(details) > 0 && (!jsonscan.Valid(details) || !utf8.Valid(details)):
		details = json.RawMessage(`"details left out: not JSON"`)
	}
	return &Failure{
		Kind:      f.Kind,
		Message:   fit(f.Message, l.Text),
		Code:      fit(f.Code, l.Text),
		Source:    fit(f.Source, l.Text),
		Instance:  f.Instance,
		Attempt:   f.Attempt,
		Retryable: f.Retryable,
		Stack:     fit(f.Stack, l.Text),
		Details:   details,
	}
}

// History converts the failure to its form in package history; nil for nil. A failure
// without a kind, as other workers may send it, becomes an application failure.
func (f *Failure) History() *history.Failure {
	if f == nil {
		return nil
	}
	kind := f.Kind
	if kind == "" {
		kind = history.FailureApplication
	}
	return &history.Failure{
		Kind:      kind,
		Message:   f.Message,
		Code:      f.Code,
		Source:    f.Source,
		Instance:  f.Instance,
		Attempt:   f.Attempt,
		Retryable: f.Retryable,
		Stack:     f.Stack,
		Details:   f.Details,
	}
}

// Fit cuts a text for people to its limit in a work item.
func (l Limits) Fit(text string) string { return fit(text, l.withDefaults().Text) }

// fit cuts a text to n bytes of valid UTF-8.
func fit(s string, n int) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= n {
		return s
	}
	const mark = "…"
	n -= len(mark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}
