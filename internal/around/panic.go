package around

import (
	"fmt"

	"github.com/turnstile-go/turnstile/internal/panics"
)

// Panic is the value of the panic that replaces a panic of an interceptor around an
// activity or a call of a client. It adds the name of the interceptor.
type Panic struct {
	Interceptor string
	// Value that the interceptor panicked with.
	Value any
}

func (p *Panic) Error() string { return fmt.Sprintf("interceptor %q: %v", p.Interceptor, p.Value) }

// Plain returns the text without the text of the value, which may quote a payload.
func (p *Panic) Plain() string {
	if text, plain := panics.Plain(p.Value); plain {
		return fmt.Sprintf("interceptor %q: %s", p.Interceptor, text)
	}
	return fmt.Sprintf("interceptor %q: a %T, whose text is not shown because payloads are encoded", p.Interceptor, p.Value)
}
