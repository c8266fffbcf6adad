package deciding

import "errors"

// Decide returns the next plan for the state of a turn. An error ends the attempt: ErrStale, ErrOver,
// store.ErrConflict, a *PatchError, or an error of a read. Nothing of a failed decision was dispatched.
func Decide(t *Turn) (Plan, error) {
	p, err := needed(t.decide())
	if err == nil && p.Commit != nil && !t.Now.has(0) {
		return Plan{}, ErrOver
	}
	return p, err
}

// ErrOver means that a paused process would decide on a commit after the end of its invocation. In
// the meantime another process may have received the messages, and may have acknowledged them
// before this process read the history. Then no conflict would stop the commit, and no message
// would be left to dispatch it.
var ErrOver = errors.New("host: the invocation has ended, and another process may hold its messages")

// decide tries the rules in order. The first rule that has something to do makes the plan.
func (t *Turn) decide() (Plan, error) {
	for _, rule := range [...]func() (Plan, error){
		// An instance event that was written with a problem is published before anything else changes the
		// problem.
		t.unreported.publish,
		// A damaged history is not written to.
		t.damaged,
		// An instance that does not exist, was purged or has ended accepts nothing.
		absent{t.Known}.decide,
		// A message that was received too often may be a poison message.
		t.suspicion.decide,
		// An instance whose turn does not fit into a commit fails.
		t.tooLarge,
		// Commits that earlier deliveries of these messages made, and that may not have been
		// dispatched, are dispatched first.
		t.sendAgain,
		// A duplicate invocation may have acknowledged some of these messages and restarted the
		// instance.
		starting{t.Known}.overtaken,
		// A message about a pending activity is sent again for later, or becomes the activity's failure.
		t.attend,
		// Everything else is handled in order.
		t.take,
	} {
		if p, err := rule(); err != nil || !p.empty() {
			return p, err
		}
	}
	return Plan{Over: true}, nil
}

// sendAgain dispatches again, once, the commits that earlier deliveries of these messages made and
// that may not have been dispatched.
func (t *Turn) sendAgain() (p Plan, err error) {
	if t.progress.step != sendingAgain {
		return p, nil
	}
	if !t.Running.Creating() {
		if p.Again, err = t.progress.resend.find(); err != nil {
			return Plan{}, err
		}
	}
	t.progress.step = attending
	pendingActivities{t.Known}.resultsFirst()
	t.progress.rest = t.Group.Open()
	return p, nil
}

// attend handles the messages about pending activities, once.
func (t *Turn) attend() (Plan, error) {
	s, a := &t.progress, pendingActivities{t.Known}
	if s.step != attending {
		return Plan{}, nil
	}
	for len(s.rest) > 0 {
		p, _, err := a.attend(s.rest[0])
		if err != nil {
			return Plan{}, err
		}
		if s.rest = s.rest[1:]; !p.empty() {
			return p, nil
		}
	}
	p, err := a.limits()
	if err == nil && p.empty() {
		t.inOrder()
		s.step, s.rest = taking, t.Group.Open()
	}
	return p, err
}
