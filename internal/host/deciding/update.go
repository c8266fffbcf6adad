package deciding

import (
	"strings"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// An update has one verdict in all executions of a run. The history of an execution shows what it has
// decided. What an earlier one has decided is in the answers, which a turn reads after the history, and
// which a continue-as-new puts before it is committed (docs/internal/models/update.tla).

// updates reports whether a message requests an update.
func updates(m *inbox.Message) bool {
	return m.Item.Kind == wire.ExternalRaised && strings.HasPrefix(m.Item.Name, history.UpdatePrefix)
}

// answered gives the arrivals that repeat a decided update their verdict. It requests the answers that
// it needs.
func (r *round) answered() error {
	k := r.k
	if k.Running.Creating() && k.Running.Redriven == nil {
		return nil // No execution of the run was before this one.
	}
	var unread []string
	for i := range r.arrivals {
		j := &r.arrivals[i]
		if j.Kind != engine.Pending || !updates(j.Message) || k.verdict(j.Message).Kind != engine.Recorded {
			continue
		}
		switch decided, read := k.View.Decided(j.Item.ID); {
		case !read:
			unread = append(unread, j.Item.ID)
		case decided:
			j.Verdict = engine.Verdict{Kind: engine.Duplicate}
		}
	}
	if len(unread) > 0 {
		return &Read{What: Answers, Updates: unread}
	}
	return nil
}

// unrecorded settles an update that is not recorded. An instance that has sent it gets an answer.
func unrecorded(m *inbox.Message, p Plan, why string) Plan {
	if updates(m) && m.Item.ReplyTo != "" {
		p.Send.Reply = &Reply{Event: dispatch.Refusal(&m.Item, why)}
	}
	return p
}

// refuse settles an update that the execution refuses, and answers its caller. A repeat of the request
// is decided about if a later execution gets it.
func (r *round) refuse(j judged) Plan {
	p := settle(j.Message, "refused")
	p.Send.Reply = &Reply{Event: dispatch.Refusal(&j.Item, j.Reason), StartID: r.k.Running.Started().Start.StartID}
	return p
}
