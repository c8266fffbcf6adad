package host

import (
	"context"
)

// newer deals with an instance whose history holds what only a newer build
// knows: nothing is written, and its messages go round the delay queue, as
// long as it takes, for a build that knows it.
func (o *Orchestrator) newer(ctx context.Context, g *group, cause error) {
	o.Logger.WarnContext(ctx, "history was written by a newer build; its messages go round until one handles them", "instance", g.instance, "error", cause)
	for _, m := range g.open() {
		due := o.Clock.Now().Add(grown(o.Settings.NewerFirst, o.Settings.NewerMax, m.item.Hops))
		if err := o.sendRound(ctx, &m.item, due, redriveMark(m)); err != nil {
			o.Logger.WarnContext(ctx, "message not sent round", "message_id", m.ID, "error", err)
			o.fail(m, "queue")
			continue
		}
		o.Observer.Count(CountDelayed, "newer", 1)
		m.state = settled
	}
}
