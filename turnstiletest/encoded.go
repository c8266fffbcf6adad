package turnstiletest

import "github.com/turnstile-go/turnstile/internal/wire"

// Stored returns the history of the instance's current execution as it is stored: with
// [WithCodecs], payloads are encoded, and each event's Codec names its codecs.
func (r *Run[Out]) Stored() History {
	r.env.t.Helper()
	return r.env.stored(r.Instance, r.env.execution(r.Instance))
}

// plain returns the body of a message with decoded payloads, or unchanged if it cannot be decoded.
func (e *Env) plain(body string) string {
	item, err := wire.Parse([]byte(body))
	if err != nil || item.Codec == "" {
		return body
	}
	if item, err = e.opts.codecs.DecodeItem(item); err != nil {
		return body
	}
	opened, err := item.Encode()
	if err != nil {
		return body
	}
	return string(opened)
}
