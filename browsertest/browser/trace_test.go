package browser_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/browsertest/browser"
)

// That a trace is of the page, and counts what it should: against a script that
// runs for a known time. No machine runs it in less.
func TestTraceCountsScriptAndLongTasks(t *testing.T) {
	p := open(t, start(t), browser.View{}, serve(t, "<p>x"))
	const busy = `new Promise(done => setTimeout(() => { const t = performance.now(); while (performance.now() - t < 120); done(true) }))`
	trace, err := p.Trace(func() error {
		_, err := browser.Eval[bool](p, busy)
		return err
	})
	must(t, err)
	if trace.Script < 120*time.Millisecond || trace.Longest() < 120*time.Millisecond {
		t.Errorf("the trace has %s of script and a longest task of %s, want both 120ms at least", trace.Script, trace.Longest())
	}
}
