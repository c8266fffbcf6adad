package world

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// bias makes one kind of fault, or two, far more frequent in a run than chance would. A bias
// reaches situations that ordinary schedules seldom reach, because several unlikely events must
// coincide.
type bias int

const (
	noBias bias = iota
	// lateMarks: every second change that sets or clears a problem takes effect later than its writer
	// believes, and a build that does not work is deployed meanwhile.
	lateMarks
	// lateCommits: every second commit of a batch with a wake-up takes effect late. Its process dies
	// or gets an unknown outcome, also for each retry, and the process that receives its messages
	// next runs a build that does not work.
	lateCommits
	// outages means that a service refuses calls, for all processes or for one role, for minutes to
	// days.
	outages
	// slowCalls: every call takes so long that an invocation can run out of time.
	slowCalls
	// crowds: activities that take minutes share their invocations with others.
	crowds
	// tornReads: every second commit of several items is read while it is half done, and in one of
	// three of these cases its process dies meanwhile.
	tornReads
	// sharedCalls: groups and attempts run concurrently in one process of each role, and every second
	// call that several of them share fails: some of its messages are refused, its answer is lost, or
	// its process dies.
	sharedCalls
	// lateEnds: every second commit that ends an execution, or changes a problem, takes effect late.
	// Its process dies or gets an unknown outcome, also for each retry, and the process that receives
	// its messages next runs a build that does not work.
	lateEnds
	// deadLetters means that the queue moves every fourth batch to its dead-letter queue before any
	// process has handled it, and dead letters are redriven within minutes. A forger sends many of
	// the messages.
	deadLetters
	// shortInvocations means that an invocation runs one or two executions, and every third process
	// dies after a commit that ends one.
	shortInvocations
	// purges: instances are purged often, mostly while they run and another instance waits for
	// them. In a third of the cases a purge without force, which is refused, comes first. Every
	// second process dies after the commit that ends an instance for a purge. One process in five
	// pauses for longer than its messages are hidden.
	purges
	// smallCommits means that a commit holds only a few events, and a larger one is refused, at the
	// start of a turn or in the middle. A batch is then handled in parts, and an instance fails if
	// a single message produces more.
	smallCommits
	// damages: histories of instances are damaged, at one step in 70, and restored within minutes or
	// hours.
	damages
	// overtaken: every third process with an orchestrator's batch pauses for longer than its
	// messages are hidden; another process receives one to three of the messages, and every second
	// time dies after a commit.
	overtaken
	// rejections: for some activities, results, children and their ends, the queues refuse the
	// message on every send, like a queue whose limit is lower than that of the others. Some results
	// are exactly as long as the limit, or one byte longer.
	rejections
	// duplicates: every third batch of an orchestrator is delivered to two processes, and every
	// second of these dies after a commit.
	duplicates
	// suspends: nearly every instance is suspended, several times, while messages for it arrive.
	suspends
	// limited means that most activities have a limit over instances and take seconds, so that
	// attempts wait for each other. The process of every twelfth attempt dies during the attempt.
	limited
	// busOutages: events about instances have a subscriber, and its bus refuses all of them for
	// minutes to days, and some of them at other times.
	busOutages
	// namedQueues means that most activities name a queue with its own workers, share that queue by
	// keys and take seconds; queues are added, removed and not served for minutes to hours.
	namedQueues
	// forks: nearly every instance is forked, running or ended, and forks are forked again. A process
	// that handles the start of a fork dies at every sixteenth call, and a build that does not work
	// is deployed when a twelfth of these starts is sent.
	forks
	// prunes means that each program keeps few of its executions. After 15 days, and again days
	// later, an operator prunes earlier ones while faults and client requests continue; events are
	// delayed as long. A process that handles such a request dies at every sixth call.
	prunes
	// coordinators means that the instances are under a limit; they end, fail, are redriven and
	// restart.
	coordinators
	// schedules means that the run has a schedule, mostly of instances that take long, concurrently
	// or one after the other.
	schedules
	// nearLimits means that the limits of payloads and texts are low, and many payloads and texts
	// are exactly as long as their limit, one byte longer or one byte shorter.
	nearLimits
	// redrives: instances, including children, are redriven often, whether ended or running, and
	// many are terminated soon after. A process that handles a redrive dies at every sixteenth
	// call, and some of its commits take effect late. Every third start that redrives a child
	// becomes a dead letter and is redriven within minutes. A build that does not work is deployed
	// when a sixth of these starts is sent.
	redrives
	// restores means that the tables were restored to an earlier time, and messages that the lost
	// history sent arrive, some from schedules: they have valid tokens, for event ids that now
	// belong to other events.
	restores
	// updated means that the programs handle updates, and clients send many. The seeds of other biases have
	// updates in one run of updatedIn.
	updated
	biasEnd
)

var biasNames = [biasEnd]string{"none", "late marks", "late commits", "outages", "slow calls", "crowds", "torn reads", "shared calls", "late ends",
	"dead letters", "short invocations", "purges", "small commits", "damages", "overtaken", "rejections", "duplicates", "suspends", "limits", "bus outages", "queues", "forks", "prunes", "coordinators", "schedules", "near limits", "redrives", "restores", "updates"}

// Biases returns the names of the biases that a run can have.
func Biases() []string { return slices.Clone(biasNames[1:]) }

// BiasOf returns the bias with that name, or the combination for "NAME+NAME", because some
// situations need two biases.
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

// pairs is the factor of the second of two biases. Kept choices contain both in one number, so it
// must not change when a bias is added.
const pairs bias = 64

// and combines two biases.
func (b bias) and(other bias) bias { return b + pairs*other }

// of returns the one or two biases of which it consists; noBias stands for a missing one.
func (b bias) of() [2]bias { return [2]bias{b % pairs, b / pairs} }

// has reports whether the run has the bias, alone or with another.
func (w *World) has(b bias) bool {
	of := w.bias.of()
	return of[0] == b || of[1] == b
}

// biasIn: one run in biasIn has each of the biases, except the last three, and one has two. Every
// second run without a bias has redrives, and one in eight of the others has restores, so that the
// runs of most seeds stay the same.
const biasIn = 27

// updatedIn is how many runs there are for each one whose programs handle updates.
const updatedIn = 6

// Updated reports whether programs handle updates. It is called once.
func (w *World) Updated() bool {
	return w.has(updated) || w.Choices.Apart(w.Choices.At(choice.OfProgram, "updates"), updatedIn)
}

// IsOfUpdates reports whether the run has the bias for updates, so that it should have programs that handle
// some.
func (w *World) IsOfUpdates() bool { return w.has(updated) }

// drawBias decides the bias of a run. A requested bias is recorded like a decision, so that recorded
// choices contain it.
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
		b = bias(1 + c.Uniform(int(redrives)))
		if second := bias(1 + c.Uniform(int(redrives))); second != b {
			b = b.and(second)
		}
	case b == noBias && c.Uniform(2) == 0:
		b = redrives
	case b == noBias && c.Uniform(8) == 0:
		b = restores
	}
	return bias(c.Note(at, int(b)))
}
