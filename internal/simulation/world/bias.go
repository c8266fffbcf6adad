package world

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// bias is what goes wrong in a run, one thing or two, far more often than chance would have it:
// situations that ordinary schedules hardly reach, because several unlikely things
// have to meet in one place.
type bias int

const (
	noBias bias = iota
	// lateMarks: every second change that marks an instance, or takes its mark
	// away, takes effect later than its writer believes, and code that does not
	// work is deployed meanwhile.
	lateMarks
	// lateCommits: every second commit of a batch with a wake-up takes effect late,
	// its process dies or is told that nobody knows, and whoever takes its messages
	// next runs code that does not work.
	lateCommits
	// outages: a service refuses, for everybody or for one role, for minutes to days.
	outages
	// slowCalls: every call takes so long that an invocation can be out of time.
	slowCalls
	// crowds: activities that take minutes share their invocations with others.
	crowds
	// tornReads: every second commit of several items is met in the middle, and of one
	// in three of these the process dies meanwhile.
	tornReads
	// sharedCalls: groups and attempts run side by side in one process of each role,
	// and every second call that several of them share goes wrong: some of its
	// messages are refused, its answer is lost, or its process dies at it.
	sharedCalls
	// lateEnds: every second commit that ends an execution, or changes a mark, takes
	// effect late, its process dies or is told that nobody knows, and whoever takes
	// its messages next runs code that does not work.
	lateEnds
	// deadLetters: every fourth batch is given up by its queue before anybody has
	// looked at it, and dead letters are redriven within minutes. Much of what is sent
	// is a forger's.
	deadLetters
	// shortInvocations: an invocation runs one execution, or two, and every third
	// process dies behind a commit that ends one.
	shortInvocations
	// purges: instances are purged often, mostly while they run and another waits for
	// them, a third of these times without force first, which is refused, and every second
	// process dies behind the commit that ends one for it. One process in five stands
	// still for longer than its messages are hidden.
	purges
	// smallCommits: a commit holds a few events, and one with more is refused, in the
	// middle of a turn as at its beginning. What came in one batch is then handled in
	// parts, and an instance fails of which a single message brings more.
	smallCommits
	// damages: histories of instances are damaged, one step in seventy, and restored
	// within minutes or hours.
	damages
	// overtaken: every third process of an orchestrator's batch stands still for longer
	// than its messages are hidden; another receives one to three messages of it, and
	// every second time dies behind a commit.
	overtaken
	// rejections: the queues take no message of some of the activities, their results,
	// the children and their ends, however often it is sent, as a queue does that takes
	// less than the others.
	rejections
	// twins: every third batch of an orchestrator is handed to two processes, and every
	// second of these dies behind a commit.
	twins
	// suspends: nearly every instance is suspended, several times, and beside what comes for
	// it.
	suspends
	// limited: most activities have a limit over instances and take seconds, so that
	// attempts wait for each other, and the process of every twelfth attempt dies in it.
	limited
	// busOutages: somebody subscribes to events about instances, and their bus refuses all
	// of them for minutes to days, and some of them at other times.
	busOutages
	// namedQueues: most activities name a queue that has workers of its own, share it by
	// keys and take seconds; queues are added, taken away and stand still for minutes to hours.
	namedQueues
	// forks: nearly every instance is forked, running or ended, and forks are forked again; of the
	// calls of a process with the start of a fork in hand every sixteenth is its last, and code
	// that does not work is deployed when a twelfth of them is sent.
	forks
	// prunes: each program keeps few of its executions. After fifteen days, and again days later,
	// somebody asks for earlier ones to be pruned, while much goes wrong again and much else is
	// asked for; events are as late. Of the calls of a process with such a request in hand every
	// sixth is its last.
	prunes
	biasEnd
)

var biasNames = [biasEnd]string{"none", "late marks", "late commits", "outages", "slow calls", "crowds", "torn reads", "shared calls", "late ends",
	"dead letters", "short invocations", "purges", "small commits", "damages", "overtaken", "rejections", "twins", "suspends", "limits", "bus outages", "queues", "forks", "prunes"}

// Biases are the names of the biases that a run can have.
func Biases() []string { return slices.Clone(biasNames[1:]) }

// BiasOf returns the bias of that name, or both of "NAME+NAME": some situations need
// what two of them bring about.
func BiasOf(name string) (bias, error) {
	first, second, both := strings.Cut(name, "+")
	i, j := slices.Index(biasNames[:], first), slices.Index(biasNames[:], second)
	if i < 1 || both && (j < 1 || j == i) {
		return noBias, fmt.Errorf("simulation: no bias %q; there are %s, and two of them as NAME+NAME", name, strings.Join(Biases(), ", "))
	}
	if !both {
		return bias(i), nil
	}
	return bias(i).and(bias(j)), nil
}

// pairs is by what the second of two biases is multiplied: kept choices have both in one
// number, so it stays what it is when a bias is added.
const pairs bias = 64

// and is both.
func (b bias) and(other bias) bias { return b + pairs*other }

// of are the one or two that it consists of; noBias for what is not there.
func (b bias) of() [2]bias { return [2]bias{b % pairs, b / pairs} }

// has reports whether the run has the bias, alone or with another.
func (w *World) has(b bias) bool {
	of := w.bias.of()
	return of[0] == b || of[1] == b
}

// biasIn: one run in so many has a bias, for each of them, and one has two.
const biasIn = 27

// drawBias decides for the bias of a run. One that was asked for is noted like a
// decision, so that recorded choices have it.
func drawBias(c *choice.Choices) bias {
	at := c.At(choice.OfWorld, "bias")
	if c.Bias != 0 && !c.Asked(at) {
		return bias(c.Note(at, c.Bias))
	}
	if c.Asked(at) {
		return bias(c.Given(at, int(pairs*pairs)))
	}
	b := bias(c.Uniform(biasIn))
	switch {
	case b == biasIn-1:
		b = bias(1 + c.Uniform(int(biasEnd)-1))
		if second := bias(1 + c.Uniform(int(biasEnd)-1)); second != b {
			b = b.and(second)
		}
	case b >= biasEnd:
		b = noBias
	}
	return bias(c.Note(at, int(b)))
}

// markIsLate reports whether a change of a record is to take effect late.
func (w *World) markIsLate(p *Process, c *class) bool {
	return w.has(lateMarks) && c == tellingWrite && !p.Dead && !w.calm && w.Choices.OneIn(w.How(fault.LandsLate), 2)
}

// commitIsLate reports whether a commit is to take effect late: its process dies, or is
// told that nobody knows.
func (w *World) commitIsLate(p *Process) bool {
	if !w.has(lateCommits) || p.Dead || w.calm {
		return false
	}
	wakes := slices.ContainsFunc(p.Running.Batch, func(m Delivered) bool {
		item, err := w.Item(m.Body)
		return err == nil && item.Kind == wire.Wake
	})
	return wakes && w.Choices.OneIn(w.How(fault.CrashLate), 2)
}

// endIsLate reports whether a commit that ends an execution, or changes a mark, is
// to take effect late.
func (w *World) endIsLate(p *Process, c *class) bool {
	return w.has(lateEnds) && (c == tellingCommit || c == tellingWrite) && !p.Dead && !w.calm && w.Choices.OneIn(w.How(fault.LandsLate), 2)
}

// diesBehindCommit reports whether a process is to die behind a commit that ends an
// execution, or changes a mark, or that follows from a message which came back.
func (w *World) diesBehindCommit(p *Process, c *class) bool {
	if p.Dead || w.calm {
		return false
	}
	how := w.Choices.At(w.How(fault.CrashAfter), "end")
	if w.has(overtaken) && c.commits && slices.ContainsFunc(p.Running.Batch, func(m Delivered) bool { return m.ReceiveCount > 1 }) && w.Choices.OneIn(how, 2) {
		return true
	}
	if c.commits && w.diesBesideTwin(p.Running) {
		return true
	}
	if c != tellingCommit && c != tellingWrite {
		return false
	}
	if w.has(shortInvocations) && w.Choices.OneIn(how, 3) {
		return true
	}
	return w.has(purges) && w.hasPurge(p.Running) && w.Choices.OneIn(how, 2)
}

// Limited reports whether most activities are to have a limit over instances.
func (w *World) Limited() bool { return w.has(limited) }

// WorksUnderLimit is how long an activity takes in a run with many limits, in which
// attempts are to meet. It may end its process.
func (p *Process) WorksUnderLimit(instance string) time.Duration {
	w := p.W
	if !w.has(limited) || p.Worker == nil {
		return 0
	}
	at := w.Choices.At(w.Choices.At(choice.OfDelivery, "limited"), instance)
	if !w.calm && w.Choices.OneIn(w.Choices.At(at, "dies"), 12) {
		w.faulted(fault.CrashBefore)
		p.Die("crash in an attempt")
		return 0
	}
	d := time.Duration(w.Choices.IntN(at, 20)) * time.Second
	if w.Clock.Now().Add(d + time.Minute).After(p.Running.Deadline) {
		return 0 // It would be out of time.
	}
	return d
}

func (w *World) hasPurge(inv *Invocation) bool {
	return slices.ContainsFunc(inv.Batch, func(m Delivered) bool {
		item, err := w.Item(m.Body)
		return err == nil && item.Kind == wire.PurgeInstance && item.UpToExecution == 0
	})
}

// PurgesOther decides whether it is an instance that no client starts which is
// purged: most of these have a parent that waits for them.
func (w *World) PurgesOther(at choice.Spot) bool {
	if w.has(purges) {
		return !w.Choices.OneIn(at, 8)
	}
	return w.Choices.OneIn(at, 3)
}

// Forced decides whether a purge of an instance that runs is one with force.
func (w *World) Forced(at choice.Spot) bool {
	if w.has(purges) {
		return !w.Choices.OneIn(at, 4)
	}
	return w.Choices.OneIn(at, 4)
}

// RefusedFirst decides whether a purge without force is sent ahead of one with force.
func (w *World) RefusedFirst(at choice.Spot) bool { return w.has(purges) && w.Choices.OneIn(at, 3) }

// Suspends decides how often clients suspend an instance.
func (w *World) Suspends(at choice.Spot) int {
	if w.has(suspends) {
		return w.Choices.IntN(at, 4)
	}
	if !w.Choices.OneIn(at, 8) {
		return 0
	}
	return 1 + w.Choices.IntN(at, 2)
}

// Forks decides how often somebody forks an instance.
func (w *World) Forks(at choice.Spot) int {
	if w.has(forks) {
		return w.Choices.IntN(at, 3)
	}
	if !w.Choices.OneIn(at, 40) {
		return 0
	}
	return 1
}

// MeetsFork deploys code that does not work beside a fork, at times.
func (w *World) MeetsFork(at choice.Spot) {
	if w.has(forks) && !w.calm && w.Choices.OneIn(at, 12) {
		w.deployAtOnce()
	}
}

// diesInBias reports whether a process dies at a call because it has in hand what the run is to
// see cut short: the start of a fork, or a request that prunes.
func (w *World) diesInBias(p *Process) bool {
	if w.calm || p.Running == nil {
		return false
	}
	has := func(such func(*wire.Item) bool) bool {
		return slices.ContainsFunc(p.Running.Batch, func(m Delivered) bool {
			item, err := w.Item(m.Body)
			return err == nil && such(item)
		})
	}
	if w.has(forks) && has(Forks) && w.Choices.OneIn(w.Choices.At(w.How(fault.CrashAfter), "fork"), 16) {
		return true
	}
	return w.has(prunes) && has(func(i *wire.Item) bool { return i.UpToExecution > 0 }) && w.Choices.OneIn(w.Choices.At(w.How(fault.CrashAfter), "prune"), 6)
}

// Keeps decides how many executions of an instance the programs of a run keep; 0 for all.
func (w *World) Keeps(at choice.Spot) int {
	if !w.has(prunes) && !w.Choices.OneIn(at, 24) {
		return 0
	}
	w.Settings.Purge.Page = []int{0, 1, 3, 7}[w.Choices.IntN(at, 4)]
	return 2 + w.Choices.IntN(at, 3)
}

// SoLate is how much later than others a client sends something.
func (w *World) SoLate(at choice.Spot) time.Duration {
	if !w.has(prunes) || !w.Choices.OneIn(at, 5) {
		return 0
	}
	return time.Duration(1+w.Choices.IntN(at, 20*24)) * time.Hour
}

// Unrest lets things go wrong again, where that has stopped, for a few hours.
func (w *World) Unrest(at choice.Spot) {
	w.plan.left = max(w.plan.left, []int{1, 3, 10, 30}[w.Choices.IntN(at, 4)])
	if w.has(prunes) {
		w.plan.left = max(w.plan.left, 10)
	}
	if until := w.Clock.Now().Add(time.Duration(1+w.Choices.IntN(at, 12)) * time.Hour); until.After(w.plan.until) {
		w.plan.until = until
	}
	if w.calm {
		w.Log("FAULTS AGAIN")
		w.calm, w.Calmed = false, time.Time{}
		w.ghosts = nil // No queue has anything so old.
	}
}

// Forks reports whether an item is a start that forks another instance.
func Forks(item *wire.Item) bool {
	return item.Kind == wire.StartOrchestration && item.Origin != nil && item.Origin.Instance != item.Instance
}

// SeldomSuspends says that one start in so many begins later.
func (w *World) SeldomSuspends() int {
	if w.has(suspends) {
		return 3
	}
	return 10
}

// receivedTwice decides whether a batch of a standard queue is visible again as soon as
// it has been received.
func (w *World) receivedTwice(worker bool) bool {
	if w.has(purges) && !w.calm && !worker && w.Choices.OneIn(w.Choices.At(w.How(fault.Expired), "purges"), 5) {
		w.faulted(fault.Expired)
		return true
	}
	return w.hit(fault.Expired)
}

// mostAtOnce is how many messages an orchestrator receives at most.
func (w *World) mostAtOnce(at choice.Spot) int {
	if w.has(overtaken) && w.Choices.Even(at) {
		return 1 + w.Choices.IntN(at, 3)
	}
	// As many as there may be in half of the cases.
	return min(1+w.Choices.IntN(at, 20), 10)
}

// drawPace decides how long each call of the run takes at least.
func (w *World) drawPace() time.Duration {
	if !w.has(slowCalls) {
		return 0
	}
	return []time.Duration{25, 100, 250, 500}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "pace"), 4)] * time.Millisecond
}

// CallsAreSlow reports whether each call takes a while.
func (w *World) CallsAreSlow() bool { return w.pace > 0 }

// drawRoom decides how many events a commit holds in the run; 0 for as many as are in it.
func (w *World) drawRoom() int {
	if !w.has(smallCommits) {
		return 0
	}
	return []int{4, 5, 6, 8}[w.Choices.IntN(w.Choices.At(choice.OfWorld, "room"), 4)]
}

// fits returns the error of a commit for which there is no room, as the stores do: before
// they look at anything that is stored.
func (w *World) fits(c *store.Commit) error {
	n := 0
	for i := range c.Turns {
		n += len(c.Turns[i].Events)
	}
	if w.Room == 0 || n <= w.Room {
		return nil
	}
	t := &c.Turns[0]
	return &store.TooLargeError{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: t.First(), What: "first of too many (simulated)",
		Limit: Plural(w.Room, "event")}
}
