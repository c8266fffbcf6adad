package browser_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// That a trace is of the page, and counts what it should: against a script whose
// work takes some hundred milliseconds, and nowhere less than twenty.
func TestTraceCountsScriptAndLongTasks(t *testing.T) {
	p := open(t, start(t), browser.View{}, serve(t, "<p>x"))
	const busy = `new Promise(done => setTimeout(() => { let x = 0; for (let i = 0; i < 3e8; i++) x += i % 7; done(x > 0) }))`
	trace, err := p.Trace(func() error {
		_, err := browser.Eval[bool](p, busy)
		return err
	})
	must(t, err)
	if trace.Script < 20*time.Millisecond || trace.Longest() < 20*time.Millisecond {
		t.Errorf("the trace has %s of script and a longest task of %s, want both more than 20ms", trace.Script, trace.Longest())
	}
}
