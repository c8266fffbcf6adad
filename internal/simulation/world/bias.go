package world

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
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
	// its process dies or is told that nobody knows, of each repeat too, and whoever takes
	// its messages next runs code that does not work.
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
	// effect late, its process dies or is told that nobody knows, of each repeat too, and
	// whoever takes its messages next runs code that does not work.
	lateEnds
	// deadLetters: every fourth batch is given up by its queue before anybody has
	// looked at it, and dead letters are redriven within minutes. Much of what is sent
	// is a forger's.
	deadLetters
	// shortInvocations: an invocation runs one execution, or two, and every third
	// process dies after a commit that ends one.
	shortInvocations
	// purges: instances are purged often, mostly while they run and another waits for them,
	// a third of these times without force first, which is refused, and every second process
	// dies after the commit that ends one for it. One process in five stands still for
	// longer than its messages are hidden.
	purges
	// smallCommits: a commit holds a few events, and one with more is refused, in the
	// middle of a turn as at its beginning. A batch is then handled in parts, and an
	// instance fails if a single message brings more.
	smallCommits
	// damages: histories of instances are damaged, one step in seventy, and restored
	// within minutes or hours.
	damages
	// overtaken: every third process of an orchestrator's batch stands still for longer
	// than its messages are hidden; another receives one to three messages of it, and
	// every second time dies after a commit.
	overtaken
	// rejections: the queues take no message of some of the activities, their results,
	// the children and their ends, however often it is sent, as a queue does that takes
	// less than the others. Some results are as long as a result may be, or a byte longer.
	rejections
	// twins: every third batch of an orchestrator is handed to two processes, and every
	// second of these dies after a commit.
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
	// gates: what runs are instances under a limit, which end, fail, are redriven and begin again.
	gates
	// schedules: what runs is a schedule, mostly of instances that take long, beside each other or
	// one after the other.
	schedules
	// nearLimits: payloads and texts of programs may be short, and many are as long as they may be,
	// a byte longer or a byte shorter.
	nearLimits
	// redrives: instances are redriven often, children too, whether they have ended or not, and
	// many are terminated soon after. Of the calls of a process with a redrive in hand every
	// sixteenth is its last, and some of its commits take effect late; every third start that
	// redrives a child is given up by its queue, and redriven within minutes. Code that does not
	// work is deployed when a sixth of them is sent.
	redrives
	biasEnd
)

var biasNames = [biasEnd]string{"none", "late marks", "late commits", "outages", "slow calls", "crowds", "torn reads", "shared calls", "late ends",
	"dead letters", "short invocations", "purges", "small commits", "damages", "overtaken", "rejections", "twins", "suspends", "limits", "bus outages", "queues", "forks", "prunes", "gates", "schedules", "near limits", "redrives"}

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

// biasIn: one run in so many has a bias, for each of them but the last, and one has two. The last
// has every second run that would have none, so that the runs of most seeds are what they were.
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
	case b == noBias && c.Uniform(2) == 0:
		b = biasEnd - 1
	}
	return bias(c.Note(at, int(b)))
}
