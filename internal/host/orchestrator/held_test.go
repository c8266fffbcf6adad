package orchestrator

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/store"
)

// A message that another process may have received meanwhile is returned unprocessed, and so are
// the messages after it in its group; other groups are handled.
func TestAMessageThatAnotherProcessMayHoldIsNotProcessed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		return ctx.Await(ctx.ExternalEvent("go"))
	})
	for _, id := range []string{"a", "b"} {
		w.start(id, "Main", "1")
	}
	w.run()
	late, behind, other := w.received(raised("1"), 1), w.received(raised("2"), 1), w.received(raised("3"), 1)
	late.ReceivedAt = w.clock.Now().Add(-2 * time.Minute)
	item := raised("3")
	item.Instance = "b"
	other.Body, other.Group = w.body(item), "b"
	if failed := w.process().handle(late, behind, other); fmt.Sprint(failed) != "[1 2]" {
		t.Errorf("handed back: %v", failed)
	}
	w.expectCount(host.CountReturned, "visibility", 2)
	w.expectOutput("b", "1")
	if r := w.record("a"); r.Status.Terminal() {
		t.Errorf("a is %s", r.Status)
	}
}

// paused is a store whose process is paused before a read, for longer than its invocation.
type paused struct {
	store.Store
	pause func()
}

func (s paused) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	s.pause()
	return s.Store.Read(ctx, instance, executionID, from)
}

// I-03: a process that was paused beyond the end of its invocation commits nothing: another process
// may have received and acknowledged its messages, and then nothing would dispatch the commit.
func TestAReadAfterTheEndOfTheInvocationLeadsToNoCommit(t *testing.T) {
	t.Parallel()
	w := duplicateWorld(t)
	w.start("a", "Main", "1")
	w.run()
	p := w.process()
	p.o.Close()
	p.cfg.Services.Store = paused{p.cfg.Services.Store, func() { w.clock.Advance(w.limit + time.Second) }}
	p.begin()
	if failed := p.handle(w.received(raised("e"), 1)); len(failed) != 1 {
		t.Errorf("handed back: %v, want the message", failed)
	}
	if r := w.record("a"); r.Status.Terminal() {
		t.Errorf("a is %s", r.Status)
	}
	w.expectCount(host.CountReturned, "no time", 1)
}

// If the request for a permit does not fit into a message, the instance ends. Otherwise it would
// wait forever.
func TestAnInstanceThatCannotRequestAPermitIsTerminated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", func(*engine.Context, []byte) ([]byte, error) { return nil, nil },
			func(o *engine.Orchestration) { o.LimitKey, o.Limit = "a\u2028b", 1 })
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectStatus("a", store.StatusTerminated)
	if f := w.record("a").Failure; f == nil || !strings.Contains(f.Message, "cannot request a permit of the limit") || !strings.Contains(f.Message, "line separator") {
		t.Errorf("the failure is %+v", f)
	}
	w.expectQuiet()
}
