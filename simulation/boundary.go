package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	queuememory "github.com/turnstile-go/turnstile/queue/memory"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/timer"
	"github.com/turnstile-go/turnstile/wire"
)

// The boundary of a process: every call that leaves it goes through here.

var (
	readClass      = &class{of: theStore, unavailable: store.ErrUnavailable, unknown: store.ErrUnavailable, faults: readFaults}
	writeClass     = &class{of: theStore, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, faults: writeFaults}
	commitClass    = &class{of: theStore, commits: true, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, conflict: store.ErrConflict, faults: commitFaults}
	tellingWrite   = &class{of: theStore, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, faults: tellingWriteFaults}
	tellingCommit  = &class{of: theStore, commits: true, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, conflict: store.ErrConflict, faults: tellingCommitFaults}
	repeatedCommit = &class{of: theStore, commits: true, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, faults: repeatFaults}
	stopsRead      = &class{of: theActivities, unavailable: store.ErrUnavailable, unknown: store.ErrUnavailable, faults: readFaults}
	stopsWrite     = &class{of: theActivities, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, faults: writeFaults}
	queueClass     = &class{of: theQueues, unavailable: queue.ErrUnavailable, unknown: queue.ErrUnavailable, faults: writeFaults}
	timerClass     = &class{of: theTimerService, unavailable: timer.ErrUnavailable, unknown: timer.ErrUnavailable, faults: writeFaults}
)

// simStore is the store as a process sees it.
type simStore struct {
	store.Store
	p *process
}

func (s simStore) Commit(ctx context.Context, c store.Commit) error {
	w := s.p.w
	if len(c.Turns) == 0 {
		return s.Store.Commit(ctx, c) // It is refused.
	}
	s.p.showsTurns(c.Turns)
	s.p.showsChange(c.Turns[0].Instance, c.Record)
	sealed := c
	c.Turns = w.opened(c.Turns)
	w.aboutToCommit(s.p, &c)
	inv := s.p.running
	kind, own := commitClass, inv.committed.of(c.Turns[0].Instance)
	// It may be in, or come in: nobody may be told that it is not. And behind a
	// commit of its own a writer that is told so believes that another went on
	// from there.
	switch telling := tellsMuch(&c); {
	case w.attempted[c.Turns[0].Token]:
		kind = repeatedCommit
	case own && telling:
		kind = tellingWrite
	case own:
		kind = writeClass
	case telling:
		kind = tellingCommit
	}
	w.attempted[c.Turns[0].Token] = true
	w.aboutToChange(s.p, c.Turns[0].Instance, c.Record)
	s.p.latest[c.Turns[0].Instance] = c.Turns[0].Token
	change := s.p.changing(c.Turns[0].Instance, c.Record)
	err := s.p.call(kind, func() string { return commitText(&c) }, func() error {
		w.landedLate(s.p, &c)
		change.meets(w)
		torn := w.tearing(s.p, &c)
		err := w.commit(ctx, s.p, sealed, &c, change)
		if err == nil {
			inv.landedIn(&c)
			torn()
		}
		return err
	})
	s.p.pauseFor(w.answersIn(s.p, c.Turns[0].Instance))
	w.answered(s.p, &c, err)
	if !s.p.dead {
		s.p.running.marks(c.Turns[0].Instance, c.Record, err)
		w.unsureOfMark(c.Turns[0].Instance, c.Record, err)
	}
	if err == nil {
		for i := range c.Turns {
			t := &c.Turns[i]
			s.p.seen[executionKey{t.Instance, t.ExecutionID}] = t.Last()
		}
		s.p.running.committed.set(c.Turns[0].Instance, true)
	}
	return err
}

// tellsMuch reports whether a commit ends an execution, or changes whether its
// instance is stuck.
func tellsMuch(c *store.Commit) bool {
	events := c.Turns[0].Events
	return len(events) > 0 && events[len(events)-1].Kind.Terminal() || c.Record != nil && c.Record.Problem != nil
}

func (s simStore) Read(ctx context.Context, instance string, executionID, from int64) (turns []store.Turn, err error) {
	err = s.p.call(readClass, func() string { return fmt.Sprintf("reads %s/%d from %d", instance, executionID, from) }, func() error {
		turns, err = s.Store.Read(ctx, instance, executionID, from)
		turns, err = s.p.w.tornRead(instance, executionID, turns, err)
		s.p.hears(func() string { return turnsText(turns) })
		return err
	})
	s.p.w.reads(s.p, instance, turns, err)
	if n := len(turns); n > 0 {
		s.p.w.checkRead(turns)
		s.p.seen[executionKey{instance, executionID}] = turns[n-1].Last()
	}
	return turns, err
}

func (s simStore) Describe(ctx context.Context, instance string) (r store.Record, err error) {
	err = s.p.call(readClass, func() string { return "describes " + instance }, func() error {
		r, err = s.Store.Describe(ctx, instance)
		r, err = s.p.w.tornRecord(instance, r, err)
		s.p.hears(func() string { return recordText(&r) })
		return err
	})
	return r, err
}

func (s simStore) ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (at store.Isolated, err error) {
	err = s.p.call(readClass, func() string { return fmt.Sprintf("confirms event %d of %s/%d", eventID, instance, executionID) }, func() error {
		if err := s.p.w.isolatedBeside(instance); err != nil {
			return err
		}
		at, err = s.Store.ReadIsolated(ctx, instance, executionID, eventID)
		s.p.hears(func() string { return fmt.Sprintf("%t %s", at.Stored, jsonText(at.Record)) })
		return err
	})
	return at, err
}

func (s simStore) List(ctx context.Context, q store.ListQuery) (page store.ListPage, err error) {
	err = s.p.call(readClass, func() string { return "lists instances" }, func() error {
		page, err = s.Store.List(ctx, q)
		return err
	})
	return page, err
}

func (s simStore) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	w := s.p.w
	s.p.showsChange(instance, &change)
	w.aboutToChange(s.p, instance, &change)
	changing := s.p.changing(instance, &change)
	kind := writeClass
	if change.Problem != nil {
		kind = tellingWrite
	}
	if change.Dispatched != nil {
		w.reached("dispatch, stops short")
	}
	err := s.p.call(kind, func() string { return fmt.Sprintf("changes record of %s: %s", instance, changeText(&change)) }, func() error {
		changing.meets(w)
		w.mended(instance)
		err := s.Store.UpdateRecord(ctx, instance, change)
		if err == nil {
			w.forbids(instance, &change)
			changing.landed(w, nil)
			w.checkRecord(instance)
		}
		return err
	})
	if !s.p.dead {
		s.p.running.marks(instance, &change, err)
		w.unsureOfMark(instance, &change, err)
	}
	return err
}

func (s simStore) Hide(ctx context.Context, instance string, executionID int64, marks string) error {
	inv := s.p.running
	asked := inv.purgesOf(s.p.w, instance)
	return s.p.call(writeClass, func() string { return "hides " + instance }, func() error {
		s.p.w.mended(instance)
		err := s.Store.Hide(ctx, instance, executionID, marks)
		if err == nil && s.p.w.shadow.last[instance] == executionID {
			s.p.w.checkPurge(instance, executionID, asked)
			s.p.w.shadow.hidden[instance] = executionID
			note(&inv.hid, instance, true)
			delete(inv.marked, instance) // It goes with the record.
			s.p.w.aheadOfPurge(inv, instance, executionID, asked)
			s.p.w.outside.marks[instance] = s.p.w.outside.marked(instance, len(inv.batch))
		}
		return err
	})
}

func (s simStore) DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (done bool, err error) {
	err = s.p.call(writeClass, func() string { return "deletes histories of " + instance }, func() error {
		s.p.w.deleting(instance, upTo)
		s.p.w.mended(instance)
		done, err = s.Store.DeleteHistory(ctx, instance, upTo, limit)
		if err == nil && s.p.w.tornHere() {
			s.p.w.tear(instance, &tear{deleted: upTo}, false)
		}
		return err
	})
	return done && err == nil, err
}

// Who sends, as the service would say it.
const (
	activityRole     = "AROAACTIVITIES"
	orchestratorRole = "AROAORCHESTRATOR"
)

// sender is how the service names the process.
func (p *process) sender() string {
	if p.worker != nil {
		return activityRole + ":" + p.name
	}
	return orchestratorRole + ":" + p.name
}

// simQueue is a queue of the world.
type simQueue struct {
	*queuememory.Queue
	w    *World
	name string
}

// processQueue is a queue as a process sees it.
type processQueue struct {
	*simQueue
	p *process
}

// Send sends one message a call: a batch may stop between any two.
func (q processQueue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	if err := queue.ValidateAll(q.FIFO(), msgs); err != nil {
		return err
	}
	for i := range msgs {
		if q.p.dead {
			return errKilled
		}
		m := msgs[i]
		q.p.showsBody(m.Body)
		q.p.shows(func() string { return "the reason of a dead letter" }, "", []byte(m.Attributes[wire.ReasonAttribute]))
		q.w.aboutToSend(q.p, m.Body)
		q.w.aboutToRetry(q.p, m.Body)
		q.w.aboutToHop(q.p, &m)
		if !q.FIFO() && q.w.hit(Disordered) {
			m.Delay = min(m.Delay+time.Duration(1+q.w.choices.intN(q.w.how(Disordered), 4))*time.Second, queue.MaxDelay)
		}
		if q.w.hit(Resent) {
			q.w.clock.AfterFunc(time.Duration(q.w.choices.intN(q.w.how(Resent), 20*60))*time.Second, func() { q.w.sendAs("a late repeat", q.simQueue, m) })
		}
		if err := q.p.call(queueClass, func() string { return "sends to " + q.name + " " + bodyText(m.Body) + delayText(m.Delay) }, func() error {
			if q.w.sabotage.loses != nil && q.w.sabotage.loses(q.name, &m) {
				return nil
			}
			q.w.sends(q.p, q.simQueue, &m)
			q.w.checkCorrupt(q.simQueue, &m)
			return q.Queue.SendFrom(ctx, q.p.sender(), m)
		}); err != nil {
			if q.w.hit(AnswerLost) {
				// Those behind it in the batch are in all the same.
				for _, rest := range msgs[i+1:] {
					q.w.sendAs(q.p.name, q.simQueue, rest)
				}
			}
			return err
		}
		q.w.answers(q.p, m.Body)
	}
	return nil
}

func (q processQueue) SetVisibility(ctx context.Context, m queue.Message, d time.Duration) error {
	return q.p.call(queueClass, func() string { return fmt.Sprintf("lets %s come back after %s", m.ID, d) }, func() error {
		return q.Queue.SetVisibility(ctx, m, d)
	})
}

// Delete is the acknowledgement of a message that its process does not leave to
// the event source.
func (q processQueue) Delete(ctx context.Context, m queue.Message) error {
	inv := q.p.running
	return q.p.call(queueClass, func() string { return "deletes " + m.ID }, func() error {
		for _, d := range inv.batch {
			if d.ID == m.ID && d.from == q.simQueue && !d.ghost {
				q.w.acknowledge(inv, d)
				return nil
			}
		}
		return q.Queue.Delete(ctx, m)
	})
}

// simTimer is the timer service as a process sees it.
type simTimer struct {
	timer.Timer
	p *process
}

// maxEarly is how many milliseconds early a schedule may fire: less than its
// precision.
const maxEarly = 59_000

func (t simTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	w := t.p.w
	asked := s
	t.p.showsBody(s.Body)
	switch {
	case t.p.dead:
		return errKilled
	case w.hit(TimerEarly):
		s.Due = s.Due.Add(-time.Duration(1+w.choices.intN(w.how(TimerEarly), maxEarly)) * time.Millisecond)
	case w.hit(TimerLate):
		s.Due = s.Due.Add(time.Duration(1+w.choices.intN(w.how(TimerLate), 3600)) * time.Second)
	}
	err := t.p.call(timerClass, func() string { return fmt.Sprintf("schedules %s for %s", bodyText(s.Body), w.at(asked.Due)) }, func() error {
		if err := asked.Validate(); err != nil {
			return err
		}
		if !asked.Due.After(w.clock.now) {
			return fmt.Errorf("%w (simulated)", timer.ErrPast)
		}
		if !s.Due.After(w.clock.now) {
			s.Due = w.clock.now.Add(time.Millisecond)
		}
		w.outside.scheduled[s.Name] = true
		return t.Timer.Schedule(ctx, s)
	})
	w.schedules(t.p, asked.Name)
	return err
}

func (t simTimer) Cancel(ctx context.Context, name string) error {
	err := t.p.call(timerClass, func() string { return "removes schedule " + name }, func() error {
		t.p.w.outside.removed[name] = true
		return t.Timer.Cancel(ctx, name)
	})
	t.p.w.schedules(t.p, name)
	return err
}

// fire delivers what a schedule holds.
func (w *World) fire(s timer.Schedule) error {
	if w.hit(TimerFailed) {
		// Its deliveries failed until the service gave up: the request lies in
		// the schedule's dead-letter queue, which is the delay queue.
		w.sendAs("a schedule", w.delay, queue.Outgoing{Body: fmt.Sprintf(`{"MessageBody":%q,"MessageGroupId":%q}`, s.Body, s.Group)})
		return nil
	}
	out := queue.Outgoing{Body: s.Body, Group: s.Group}
	if w.hit(TimerTwice) {
		w.clock.AfterFunc(time.Duration(w.choices.intN(w.how(TimerTwice), 600))*time.Second, func() { w.sendAs("a schedule", w.fifo, out) })
	}
	w.sendAs("a schedule", w.fifo, out)
	return nil
}

// sendAs sends without a call of a process: what clients and services send.
func (w *World) sendAs(who string, to *simQueue, m queue.Outgoing) {
	if w.tracing {
		w.log("%s sends to %s %s%s", who, to.name, bodyText(m.Body), delayText(m.Delay))
	}
	w.isOthers(m.Body)
	if err := to.Queue.Send(context.Background(), m); err != nil {
		w.violate("world", "a message was refused: %v", err)
	}
}

// sendItem sends an item as a client does.
func (w *World) sendItem(item wire.Item) {
	item.V = wire.Version
	w.says(&item)
	body, err := w.body(&item)
	if err != nil {
		w.violate("world", "an item can't be encoded: %v", err)
		return
	}
	if w.choices.oneIn(w.choices.at(w.choices.at(ofClient, "way"), item.Target()), 5) && item.Kind != wire.StartOrchestration {
		w.sendAs("a client", w.delay, queue.Outgoing{Body: string(body)})
		return
	}
	w.sendAs("a client", w.fifo, queue.Outgoing{Body: string(body), Group: wire.Group(item.Target()), DedupID: wire.DedupID(&item)})
}
