package engine

import (
	"github.com/turnstile-go/turnstile/internal/header"
)

// WithHeaders returns a context of the same scope whose activities, children, detached
// orchestrations and next execution get these headers, in addition to those that the
// context already has. Headers are recorded but not compared on replay, so changing them
// is safe for running instances. The caller enforces their limits.
func (c *Context) WithHeaders(headers map[string]string) *Context {
	inner := *c
	inner.headers = header.Merge(c.headers, headers)
	return &inner
}
