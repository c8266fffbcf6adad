package engine

import (
	"github.com/turnstile-go/turnstile/internal/header"
)

// WithHeaders returns a context of the same scope whose activities, children,
// detached orchestrations and next execution get these headers, besides those
// that the context has. They are recorded with what is started and are not
// compared on replay: other ones are safe for running instances. Their limits
// are the caller's to see to.
func (c *Context) WithHeaders(headers map[string]string) *Context {
	inner := *c
	inner.headers = header.Merge(c.headers, headers)
	return &inner
}
