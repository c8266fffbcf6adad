package world

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// suspended schedules an operator once an instance is suspended, because the instance would
// otherwise never end.
func (w *World) suspended(c *store.RecordChange) {
	if c != nil && (c.Status != nil && suspendedIs(*c.Status) || c.Create != nil && suspendedIs(c.Create.Status)) {
		w.resumeSoon()
	}
}

func suspendedIs(s store.Status) bool {
	return s == store.StatusSuspended || s == store.StatusScheduled
}

// resumeSoon schedules the operator within three hours.
func (w *World) resumeSoon() {
	if w.resuming || w.Walk != nil {
		return
	}
	w.resuming = true
	at := w.Choices.At(choice.OfWorld, "resume")
	d := time.Duration(1+w.Choices.IntN(at, 300)) * time.Second
	if w.Choices.Even(at) {
		d *= 36
	}
	w.Clock.AfterFunc(d, w.resume)
}

// resume acts as the operator, who resumes suspended instances, and returns as long as there
// were any.
func (w *World) resume() {
	w.resuming = false
	for _, status := range []store.Status{store.StatusSuspended, store.StatusScheduled, store.StatusCorrupt} {
		page, err := w.Store.List(context.Background(), store.ListQuery{Status: status, PageSize: 1000})
		if err != nil {
			w.Violate("world", "resume: %v", err)
			return
		}
		for i := range page.Records {
			s := page.Records[i].Suspension
			if s == nil {
				continue
			}
			if s.UntilMS > 0 && w.Clock.Now().Before(time.UnixMilli(s.UntilMS).Add(24*time.Hour)) {
				w.resumeSoon() // The instance continues on its own, unless its timer is lost.
				continue
			}
			w.resumes++
			w.SendSurely(wire.Item{Kind: wire.ResumeInstance, Instance: page.Records[i].Instance, ID: fmt.Sprintf("operator-%d", w.resumes), Reason: "it is time"})
			w.resumeSoon()
		}
	}
}
