package engine

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/redriving"
)

// Redrive returns a plan for the next execution, which continues where this one failed.
// It runs no code.
//
// Errors: [*redriving.Error].
func (x *Execution) Redrive(r redriving.Request) (*redriving.Plan, error) {
	return redriving.From(x.cfg.Instance, x.cfg.ExecutionID, x.events.slice(0, x.events.len()), r)
}

// Held returns the copied events whose operations are held back until the code has agreed
// with them, and the id of the event that released them; see redriving.Held.
func (x *Execution) Held() (held []history.Event, released int64) {
	if y := x.instead.Load(); y != nil {
		return y.Held()
	}
	if start := x.ledger.start; start == nil || start.Origin == nil {
		return nil, 0
	}
	return redriving.Held(x.events.slice(0, x.events.len()))
}

// release records that the code came to rest after the copied events and so agrees with them. The
// open operations of those events may now be sent.
func (x *Execution) release() {
	l := &x.ledger
	if l.released > 0 || l.redriven == 0 || l.start == nil || l.start.Origin == nil || l.redriven != l.start.Origin.EventID+1 {
		return
	}
	x.append(&history.Event{Kind: history.OrchestrationResumed, SourceEventID: l.redriven})
	x.cursor.next = x.events.len()
}

// takeOver switches the code to the number of the execution that OrchestrationRedriven started, and
// to the id of that execution's instance. For earlier events, the code sees the number and id under
// which these events were recorded, because it may have derived ids from them. When the code first
// reaches this event, takeOver also notes the states and search attributes that the code has set so
// far and the operations that it has cancelled. The record of the new execution has none of them
// yet, and no stop requests were sent for this execution.
func (x *Execution) takeOver(e *history.Event) {
	if e.Start != nil && e.Start.ExecutionID != 0 {
		x.info.ExecutionID = e.Start.ExecutionID
	}
	if e.Instance != "" {
		x.info.Instance = e.Instance
	}
	if !x.cursor.live || x.run.quiet {
		return
	}
	x.run.statesSet = x.run.statesSet || x.states != nil
	if own := x.events.at(0).Start; own != nil || len(x.search) > 0 {
		x.run.searchSet = searchSetBoth(x.run.searchSet, x.search)
		if own != nil {
			for name := range own.SearchAttributes {
				if _, stays := x.search[name]; !stays {
					x.run.searchSet = searchSetBoth(x.run.searchSet, history.SearchAttributes{name: {}})
				}
			}
		}
	}
	x.ledger.open(func(id int64, kind history.Kind, inline bool) {
		if op := x.operation(id); id < e.EventID && redriving.Stoppable(kind) && !inline && (op == nil || op.state != open) {
			x.run.cancelled = append(x.run.cancelled, id)
		}
	})
}
