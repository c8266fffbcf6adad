package engine

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/redriving"
)

// Redrive returns how the next execution goes on where this one failed. It runs no code.
//
// Errors: [*redriving.Error].
func (x *Execution) Redrive(r redriving.Request) (*redriving.Plan, error) {
	return redriving.From(x.cfg.Instance, x.cfg.ExecutionID, x.events.slice(0, x.events.len()), r)
}

// Held returns what was taken over and held back until the turn of the execution under a
// limit, and the event that let it go; see redriving.Held.
func (x *Execution) Held() (held []history.Event, released int64) {
	if y := x.instead.Load(); y != nil {
		return y.Held()
	}
	if start := x.ledger.start; start == nil || start.Origin == nil {
		return nil, 0
	}
	return redriving.Held(x.events.slice(0, x.events.len()))
}

// takeOver has the code see the number of the execution that OrchestrationRedriven began,
// and the id of its instance: up to there it sees those of the one in which something was
// recorded, for it may have made ids of them. And it notes, when the code comes to it for the first time, what it
// has set and cancelled so far: the record of the new execution has none of it yet, and
// nobody has sent anything for this one.
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
	x.run.statusSet = x.run.statusSet || x.status != nil
	if own := x.events.at(0).Start; own != nil || len(x.search) > 0 {
		x.run.searchSet = SearchSetBoth(x.run.searchSet, x.search)
		if own != nil {
			for name := range own.SearchAttributes {
				if _, stays := x.search[name]; !stays {
					x.run.searchSet = SearchSetBoth(x.run.searchSet, history.SearchAttributes{name: {}})
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
