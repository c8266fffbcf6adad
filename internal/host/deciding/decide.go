package deciding

import "errors"

// Decide returns the next plan for the state of a turn. An error ends the attempt: ErrStale,
// ErrOver, store.ErrConflict, a *PatchError, or an error of a read. Nothing was dispatched of the
// decision that failed.
func Decide(t *Turn) (Plan, error) {
	p := &t.plan
	*p = Plan{}
	err := p.needed(t.decide(p))
	if err == nil && p.Commit != nil && !t.Now.has(0) {
		return Plan{}, ErrOver
	}
	return *p, err
}

// ErrOver says that a paused process would decide on a commit after the end of its invocation.
// Another process may have received the messages in the meantime, and have acknowledged them before
// this one read the history: no conflict would stop the commit, and no message would be left to
// dispatch it.
var ErrOver = errors.New("host: the invocation has ended, and another process may hold its messages")

// decide tries the rules in their order. The first that has something to do makes the plan.
func (t *Turn) decide(p *Plan) error {
	for _, rule := range [...]func(*Turn, *Plan) error{
		// An instance event that was written with a problem is published before anything else changes the
		// problem.
		(*Turn).unreported,
		// A damaged history is not written to.
		(*Turn).damaged,
		// An instance that does not exist, was purged or has ended accepts nothing.
		(*Turn).withoutExecution,
		// A message that was received too often may be a poison message.
		(*Turn).suspect,
		// An instance fails if no commit can hold its turn.
		(*Turn).tooLarge,
		// Earlier commits for these messages that may not have been sent are sent first.
		(*Turn).sendAgain,
		// A duplicate invocation may have acknowledged some of these messages and have restarted the
		// instance.
		(*Turn).overtaken,
		// A message about a pending activity is sent again for later, or becomes the activity's failure.
		(*Turn).pendingActivities,
		// Everything else is handled in order.
		(*Turn).take,
	} {
		if err := rule(t, p); err != nil || !p.empty() {
			return err
		}
	}
	p.Over = true
	return nil
}
