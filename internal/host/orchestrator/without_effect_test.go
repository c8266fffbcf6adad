package orchestrator

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// M-14: the rows of the table "What cannot be applied" in docs/messages.md that no other test
// covers.
func TestMessagesThatCannotBeAppliedAreCountedOrDeadLetters(t *testing.T) {
	t.Parallel()
	year2286 := time.Date(2286, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	forged := []string{string(wire.ReasonForged)}
	for name, c := range map[string]struct {
		item wire.Item
		// the outcome under which the message is counted; empty for a dead letter.
		counted string
		dead    []string
		logged  string
	}{
		"a cancel for an unknown instance":    {wire.Item{Kind: wire.CancelInstance, Instance: "nobody", ID: "c"}, "unknown_instance", nil, "kind=CancelInstance instance=nobody id=c"},
		"a terminate for an unknown instance": {wire.Item{Kind: wire.TerminateInstance, Instance: "nobody", ID: "t"}, "unknown_instance", nil, "kind=TerminateInstance instance=nobody id=t"},
		"a wake for an unknown instance":      {wire.Item{Kind: wire.Wake, Instance: "nobody", ID: "w"}, "unknown_instance", nil, "kind=Wake instance=nobody id=w"},
		"a completion for an unknown instance, with a wrong token": {wire.Item{Kind: wire.ActivityCompleted, Instance: "nobody", ExecutionID: 1, SourceEventID: 2, Token: "x"},
			"unknown_instance", nil, "kind=ActivityCompleted instance=nobody"},
		"a cancel for one that has ended":                              {wire.Item{Kind: wire.CancelInstance, Instance: "ended", ID: "c"}, "late", nil, ""},
		"a completion with a wrong token for one that has ended":       {wire.Item{Kind: wire.ActivityCompleted, Instance: "ended", ExecutionID: 1, SourceEventID: 2, Token: "x"}, "late", nil, ""},
		"a completion with a wrong token for one that runs":            {wire.Item{Kind: wire.ActivityCompleted, Instance: "runs", ExecutionID: 1, SourceEventID: 2, Token: "x"}, "", forged, ""},
		"a firing of 2286 with a wrong token for an unknown instance":  {wire.Item{Kind: wire.TimerFired, Instance: "nobody", ExecutionID: 1, SourceEventID: 2, Token: "x", FireAtMS: year2286}, "", forged, ""},
		"a firing of 2286 with a wrong token for one that has ended":   {wire.Item{Kind: wire.TimerFired, Instance: "ended", ExecutionID: 1, SourceEventID: 2, Token: "x", FireAtMS: year2286}, "", forged, ""},
		"a pending activity of 2286 with a wrong token for one unseen": {wire.Item{Kind: wire.ActivityPending, Instance: "nobody", ExecutionID: 1, SourceEventID: 2, Token: "x", NotBeforeMS: year2286}, "", forged, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			w := newWorld(t, func(w *world) {
				w.orchestration("Ends", func(*engine.Context, []byte) ([]byte, error) { return nil, nil })
				w.orchestration("Runs", func(ctx *engine.Context, _ []byte) ([]byte, error) {
					return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Work"}))
				})
			})
			w.change(func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
			w.start("ended", "Ends", "1")
			w.start("runs", "Runs", "1")
			w.settleFIFO()
			w.send(c.item)
			w.settleFIFO()
			w.expectDead(c.dead...)
			if c.counted != "" {
				w.expectCount(host.CountMessages, c.counted, 1)
			}
			if c.logged != "" && !strings.Contains(log.String(), c.logged) {
				t.Errorf("the log does not say %q:\n%s", c.logged, &log)
			}
		})
	}
}
