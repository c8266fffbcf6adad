package deciding

import "errors"

// Decide says what is to be done next, by what is known. An error ends the attempt, and
// nothing of what it is about was dispatched: ErrStale, ErrOver, store.ErrConflict, a
// *PatchError, or one of what was read.
func Decide(t *Turn) (Plan, error) {
	p := &t.plan
	*p = Plan{}
	err := p.needed(t.decide(p))
	if err == nil && p.Commit != nil && !t.Now.has(0) {
		return Plan{}, ErrOver
	}
	return *p, err
}

// ErrOver says that a commit would be decided on after the end of the invocation, by a
// process that was paused. Another process may have received the messages in the
// meantime, and have acknowledged them before this one read the history: no conflict
// would stop the commit, and no message would be left to dispatch it.
var ErrOver = errors.New("host: the invocation is over, and its messages may be another's")

// decide goes through the rules in their order. The first that has something to do gives
// the plan.
func (t *Turn) decide(p *Plan) error {
	for _, rule := range [...]func(*Turn, *Plan) error{
		// An event about an instance that is written with a mark is published before
		// anything else changes the mark.
		(*Turn).untold,
		// A history that is damaged is not written to.
		(*Turn).damaged,
		// What is not there, was purged or has ended takes nothing on.
		(*Turn).withoutExecution,
		// A message that was received too often may have killed its process.
		(*Turn).suspect,
		// An instance fails whose turn no commit can hold.
		(*Turn).tooLarge,
		// Commits for these messages that may not have been sent are sent first.
		(*Turn).sendAgain,
		// A duplicate invocation may have acknowledged some of these messages, and have had the
		// instance begin again.
		(*Turn).overtaken,
		// What is about a pending activity comes again, or becomes its end.
		(*Turn).aboutPending,
		// Everything else is taken in its order.
		(*Turn).take,
	} {
		if err := rule(t, p); err != nil || !p.empty() {
			return err
		}
	}
	p.Over = true
	return nil
}
