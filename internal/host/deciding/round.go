package deciding

import (
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// round handles messages that are recorded together, and then everything that follows from them in
// this invocation: the results of inline activities, and further executions after a
// continue-as-new. Each commit is dispatched before the next is made. The messages are settled when
// all of that is done, so that the messages of an interrupted round are redelivered.
type round struct {
	k          *Known
	suspicion  *suspicion
	unreported *unreported
	// resend has the commits that the wakes send again.
	resend resend
	// arrivals, with their verdicts, which are Pending until the engine has judged them.
	arrivals []judged
	// wakes, with their verdicts: Recorded if the wake is a try, Duplicate if it only runs the
	// code, Late if it runs no code, or obsolete.
	wakes []judged
	// blocked is the blocked goroutine in the code of the instance; nil if there is none.
	blocked *engine.Blocked
	// end is a forced termination of the execution; nil for none. looping is set if it ends a loop
	// without a pause.
	end     *history.Event
	looping bool
	// draft is the draft of the next commit, or of the last one, which may belong to an earlier
	// round.
	draft *draft
	// continued is the number of executions that were run in this invocation.
	continued int
	step      roundStep
}

// roundStep is the progress of a round.
type roundStep uint8

const (
	// closed means that there is no round.
	closed roundStep = iota
	// waking means that the wakes are judged, and that messages that may not have been sent are
	// sent again for them.
	waking
	// beginning means that the arrivals will be run.
	beginning
	// running means that the code runs on the arrivals, or on arrivals that were recorded earlier.
	running
	// recording means that the arrivals are recorded, and then the code runs on them.
	recording
	// parking means that the arrivals are only recorded.
	parking
	// foreclosing means that the arrivals are recorded before a forced termination.
	foreclosing
	// calling means that an inline activity runs, and then the code runs on its result.
	calling
	// stopping means that the remaining arrivals are recorded, because no time is left.
	stopping
	// ending means that the execution will be terminated.
	ending
	// weighing means that the draft will be committed or, if nothing is left to commit, an inline
	// activity will run.
	weighing
	committing
	// dispatched means that the commit was made and dispatched.
	dispatched
	settling
)

// open starts a round with messages, and settles those that it does not handle.
func (r *round) open(messages []*inbox.Message) (p Plan) {
	r.reset(waking)
	for _, m := range messages {
		switch {
		case m.State != inbox.Unsettled:
		case m.Item.Kind == wire.Wake:
			r.wakes = append(r.wakes, judged{Message: m})
		case (absent{r.k}).foreignParent(m):
			p.add(absent{r.k}.ofAnotherParent(m))
		case forbids(r.k.View.Record, m):
			p.add(settle(m, "duplicate"))
		default:
			r.arrive(r.k.brought(m)...)
			r.arrive(m)
		}
	}
	return p
}

// reset starts a round without messages.
func (r *round) reset(at roundStep) {
	r.arrivals, r.wakes, r.blocked, r.end, r.looping, r.resend.gathered, r.step = nil, nil, nil, nil, false, nil, at
}

func (r *round) arrive(messages ...*inbox.Message) {
	for _, m := range messages {
		r.arrivals = append(r.arrivals, judged{Message: m})
	}
}

// decide continues the round.
func (r *round) decide() (Plan, error) {
	for r.step != closed {
		if p, err := r.next(); err != nil || !p.empty() {
			return p, err
		}
	}
	return Plan{}, nil
}

func (r *round) next() (Plan, error) {
	switch r.step {
	case waking:
		return r.wake()
	case beginning:
		return r.begin()
	case ending:
		d, err := forceEnd(r.k, r.end, r.draft)
		r.draft, r.step = d, committing
		return Plan{}, err
	case weighing:
		return r.weigh()
	case committing:
		return r.commit()
	case dispatched:
		if r.end != nil {
			return r.ended(), nil
		}
		return r.proceed(), nil
	}
	return r.settle()
}

// judge takes the engine's verdicts on the pending arrivals.
func (r *round) judge(verdicts []engine.Verdict) {
	for i := range r.arrivals {
		if j := &r.arrivals[i]; j.Kind == engine.Pending && len(verdicts) > 0 {
			j.Verdict, verdicts = verdicts[0], verdicts[1:]
		}
	}
}

// judgeUnrun judges the arrivals without running code, and they are settled next. The reason is
// that the execution has ended, or that the instance is stuck and the arrivals report nothing new.
// Code is not run for an ended execution because a newer build may not agree with its history, and
// an ended execution is never stuck.
func (r *round) judgeUnrun() {
	r.step = settling
	for i := range r.arrivals {
		if j := &r.arrivals[i]; j.Kind == engine.Pending {
			j.Verdict = r.k.verdict(j.Message)
		}
	}
}

// news reports whether one of the arrivals has an event that the history does not have. If deep is
// not nil, only arrivals at a depth for which deep returns true count.
func (r *round) news(deep func(depth int) bool) bool {
	return slices.ContainsFunc(r.arrivals, func(j judged) bool {
		return j.Kind == engine.Pending && (deep == nil || deep(j.Item.Depth)) && r.k.verdict(j.Message).Kind == engine.Recorded
	})
}

// begin starts to run the arrivals.
func (r *round) begin() (p Plan, err error) {
	k, wakes := r.k, r.runs()
	if err := r.answered(); err != nil {
		return p, err
	}
	switch {
	case len(r.arrivals) == 0 && !wakes, k.Running.X.Ended():
		r.judgeUnrun()
		return p, nil
	case k.swept() && !wakes && !r.news(nil):
		// The problem must still be in the record, which may be older than the history: both may have
		// changed between the two reads.
		if !k.View.Current {
			return p, &Read{What: RecordAgain}
		}
		r.judgeUnrun()
		return p, nil
	}
	r.draft = nil
	r.end = overHistory(k, func() bool { return wakes || r.news(nil) })
	if r.end == nil {
		beyond := k.By.Settings.Loop.Beyond
		r.end = overLoop(k, func() bool { return wakes && beyond(k.Chain.Depth) || r.news(beyond) })
		r.looping = r.end != nil
	}
	if r.end != nil {
		r.step = foreclosing
		return r.run(true), nil
	}
	if r.blocked = k.Now.Blocked; r.blocked != nil && !k.Running.Creating() {
		if err := k.described(); err != nil {
			return p, err
		}
	} else {
		r.blocked = nil
	}
	// A start that may kill its process is recorded, together with the mark, before it is run. The
	// events that a redrive copies are always recorded first.
	switch r.step = running; {
	case r.suspicion.mustPark(r.try()), r.blocked != nil:
		r.step = parking
	case k.Running.copies(), k.Running.Creating() && k.Group.Suspect != "":
		r.step = recording
	}
	return r.run(r.step != running), nil
}

// run runs the pending arrivals, or only records them.
func (r *round) run(park bool) Plan {
	in := &Run{Park: park}
	for _, j := range r.arrivals {
		if j.Kind == engine.Pending {
			in.Arrivals = append(in.Arrivals, r.k.arrival(j.Message))
		}
	}
	return Plan{Run: in}
}

// ran adds the result of a run to the draft. A problem that a warm execution finds is used only
// after a commit has shown that the execution is not stale; before that, the execution is rebuilt
// from the stored history.
func (r *round) ran(out engine.Turn, err error) error {
	x := &r.k.Running
	if !x.Confirmed() && x.Warm && (err != nil || out.Stuck != nil && out.Stuck.Kind == engine.StuckNondeterminism) {
		return ErrStale
	}
	if err != nil {
		return err
	}
	verdicts, next := out.Verdicts, weighing
	switch r.step {
	case calling:
		if len(verdicts) == 0 || verdicts[0].Kind != engine.Recorded {
			return fmt.Errorf("host: result of inline activity %d of instance %q execution %d was not recorded", r.draft.Inline[0].EventID, r.k.View.Instance, x.Execution)
		}
		verdicts = verdicts[1:]
		r.draft.proceed(&out)
	case stopping:
		r.draft.append(&out)
		next = committing
	default:
		r.draft = newDraft(out, r.draft)
	}
	switch r.judge(verdicts); r.step {
	case recording:
		r.draft.leaves = recorded
	case parking:
		r.draft.leaves = parked
	case foreclosing:
		// If one of the messages is redelivered, it finds this commit, which is then dispatched
		// again.
		next = ending
	}
	r.step = next
	return nil
}

// weigh determines the next step after a run: the commit of the draft or, if nothing is left to
// commit, an inline activity.
func (r *round) weigh() (Plan, error) {
	k, d := r.k, r.draft
	if d.Stuck != nil && d.Stuck.Patch != "" {
		if err := r.leaveToAnotherBuild(d.Stuck); err != nil {
			return Plan{}, err
		}
	}
	decided := slices.ContainsFunc(r.arrivals, func(j judged) bool { return j.Kind != engine.Pending })
	if k.Running.Warm && !k.Running.Confirmed() && len(d.Events) == 0 && decided && d.State != engine.RunInline {
		// The decision of a warm execution about a message is used only after a commit has shown that
		// the execution is not stale. This turn has nothing to commit.
		return Plan{}, ErrStale
	}
	r.step = committing
	switch inline := d.State == engine.RunInline && d.leaves == ran; {
	case inline && !k.Now.has(k.By.Settings.Turn.InlineTime):
		d.leaves = short
		if left := r.run(true); len(left.Run.Arrivals) > 0 {
			// Another invocation continues the turn with the arrivals that the run did not reach.
			r.step = stopping
			return left, nil
		}
	case inline && d.hasRoom():
		return r.call()
	}
	return Plan{}, nil
}

// call runs an inline activity whose ActivityScheduled is durable, or is in the draft's open batch,
// and then runs the code on the result and on the arrivals that wait behind it.
func (r *round) call() (p Plan, err error) {
	r.step = weighing
	if err := r.mayCall(); err != nil {
		return p, err
	}
	call := &r.draft.Inline[0]
	r.draft.calls, r.step = append(r.draft.calls, call), calling
	p = r.run(false)
	p.Inline = call
	return p, nil
}

// proceed determines the next step after a commit that was made and dispatched.
func (r *round) proceed() Plan {
	k, d := r.k, r.draft
	cut := d.leaves == short
	if len(d.Next) > 0 {
		r.continued++
		cut = r.continued >= k.By.Settings.Turn.Executions || k.By.Settings.Loop.Beyond(k.Chain.Depth) || !k.Now.has(k.By.Settings.Turn.MinRemaining)
	}
	switch r.step = follow(d); {
	case r.step == settling:
	case cut:
		r.step = settling
		return Plan{Send: Sending{Continue: r.continueLater()}}
	case r.step == weighing:
		r.draft = newDraft(engine.Turn{State: engine.RunInline, Inline: d.Inline, States: d.States}, d)
	default:
		return r.run(false)
	}
	return Plan{}
}

// ended reports a forced termination, whose messages are settled next.
func (r *round) ended() (p Plan) {
	if r.step = settling; failing(r.end) {
		r.step = closed // All messages are settled in the same way.
	}
	if r.looping {
		p.Reports = []Report{counted(host.CountLooping, "failed")}
	}
	return p
}

// follow returns the next step after the commit of a draft: settling if the instance waits, is
// suspended, has ended, or cannot continue; running if recorded arrivals, or the next execution,
// still have to be run; weighing if only an inline activity is left to do.
func follow(d *draft) roundStep {
	switch {
	case len(d.Next) > 0:
		return running
	case d.State == engine.Ended, d.State == engine.Stuck, d.State == engine.Suspended, d.leaves == parked:
		return settling
	case d.leaves == recorded:
		return running
	case d.State == engine.RunInline:
		return weighing
	}
	return settling
}

// settle settles each message according to its verdict, and then the wakes.
func (r *round) settle() (p Plan, err error) {
	for _, j := range r.arrivals {
		sends := j.Kind == engine.Exists || j.Kind == engine.Early || j.Kind == engine.Refused || j.Kind == engine.Late && j.Item.ReplyTo != ""
		if j.State != inbox.Unsettled || j.Kind == engine.Pending {
			continue
		}
		if sends && !p.empty() {
			return p, nil
		}
		one, err := r.settleOne(j)
		if err != nil || sends {
			return one, err
		}
		p.add(one)
	}
	if !p.empty() {
		return p, nil
	}
	r.step = closed
	for _, j := range r.wakes {
		if j.State == inbox.Unsettled {
			p.add(settle(j.Message, "wake"))
		}
	}
	return p, nil
}

func (r *round) settleOne(j judged) (Plan, error) {
	switch j.Kind {
	case engine.Misaddressed, engine.Forged:
		return absent{r.k}.refuse(j.Message, j.Verdict), nil
	case engine.Exists:
		return starting{r.k}.exists(j.Message)
	case engine.Early:
		return absent{r.k}.early(j.Message), nil
	case engine.Refused:
		return r.refuse(j), nil
	case engine.Late:
		return unrecorded(j.Message, settle(j.Message, "late"), j.Reason), nil
	}
	return settle(j.Message, j.Verdict.Kind.String()), nil
}
