package dispatch

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// resumes sends the resume of an instance that was suspended until a time. The resume names the
// suspend, and is late if another suspend or a resume has followed, so its schedule need not be
// removed.
func (out *Outbox) resumes(c *Commit, e *history.Event) {
	item := wire.Item{V: wire.Version, Kind: wire.ResumeInstance, Instance: c.Instance, ExecutionID: c.ExecutionID,
		SchedulingEventID: e.EventID, ScheduledAtMS: e.AtMS, ID: c.id("resume", e.EventID), NotBeforeMS: e.FireAtMS, Headers: c.headers(out.Propagate, nil)}
	due := time.UnixMilli(e.FireAtMS)
	if !due.After(out.Now) {
		if err := out.Send(&item); err != nil {
			out.failed(fmt.Errorf("scheduling the resume of instance %q execution %d for event %d: %w", c.Instance, c.ExecutionID, e.EventID, err))
		}
	} else {
		item.SentMS = e.FireAtMS
		body, err := out.encode(&item)
		if err != nil {
			out.failed(fmt.Errorf("scheduling the resume of instance %q execution %d for event %d: %w", c.Instance, c.ExecutionID, e.EventID, err))
			return
		}
		out.timed(timer.Schedule{Name: timer.Name(c.Instance, c.ExecutionID, e.EventID, e.AtMS), Due: due, Body: body, Group: wire.Group(c.Instance)}, opened(e).Wait)
	}
	out.reported.actions = append(out.reported.actions, host.Action{Kind: "resume", EventID: e.EventID, Due: due})
}
