package simulation

import (
	"fmt"
	"iter"
	"time"

	"github.com/turnstile-go/turnstile/simulation/choice"
)

// A program is random code over what the engine offers. What it returns is a
// transcript: what each statement gave, in the order of the statements. So its
// result can be judged without running it again, by matching it against the
// program (match.go).

type kind int

const (
	kAct       kind = iota // an activity, awaited
	kInline                // an inline activity, awaited
	kTimer                 // a timer, awaited
	kEvent                 // an external event, awaited
	kEventOr               // an external event or a timeout; the loser is cancelled
	kRace                  // an activity against a timer; the loser is cancelled
	kKeep                  // an activity against a timer, then both awaited
	kJoin                  // several activities, joined
	kSettle                // several, of which some fail, settled
	kAny                   // several, of which some fail; the first that succeeds
	kCompleted             // several, as they complete
	kBranches              // branches side by side, joined
	kChild                 // a sub-orchestration, awaited
	kDetach                // a detached orchestration
	kSystem                // now, a GUID, a side effect
	kStatus                // custom status
	kScope                 // an activity in a scope that is cancelled
	kOpen                  // an activity and a timer that nobody awaits
	kWithin                // a child against a timer; the loser is cancelled
	kPolicy                // an activity whose retries have a limit: of time, by the error, or by the delay it asks for
	kBeat                  // an activity with heartbeats, against a timer
	kOnce                  // an activity whose attempts are begun once
	kPending               // an activity that a client completes by its token
	kSteps                 // inline activities one behind the other, in batches
	kTimeout               // several operations in a scope that has a timeout
	kLeft                  // a child that is left when its parent ends, and has to end with it
	kPatched               // code that has been changed in place
	kTell                  // an event raised for another instance
	kCall                  // another instance, which is cancelled when it has answered
	kDeadly                // an activity that kills its worker on every delivery
	kWaits                 // three waits for one event, the first or the second of which is cancelled
	kShare                 // a child by an id that others want too: all wait for one instance
	kLook                  // looks whether an event has come, without waiting for it
	kHold                  // one wait for an event over several selects against timers
	kSaga                  // activities one behind the other, undone the last first if one fails
	kindEnd
)

var kindNames = [kindEnd]string{"act", "inline", "timer", "event", "event or timeout", "race", "keep", "join", "settle", "any", "as completed",
	"branches", "child", "detach", "system", "status", "scope", "open", "child within", "policy", "beat", "once", "pending", "steps", "timeout",
	"left", "patched", "tell", "call", "deadly", "waits", "share", "look", "hold", "saga"}

type statement struct {
	kind kind
	id   int
	n    int           // how many; which program; which event
	d    time.Duration // of a timer
	// fails and attempts: the activity fails that many times, and has that
	// many attempts.
	fails, attempts int
	branches        [][]*statement
	// version of the child that is asked for; "" is the newest.
	version string
}

type program struct {
	name string
	body []*statement
	// rounds are how many executions it has, continuing as new.
	rounds int
	// fails: it returns an error in the end. catches: cancelled, it cleans up
	// and returns what it has; else it returns the cancelled error.
	fails, catches bool
	// versions that it is registered in, oldest first, nil for one without a
	// name; next is the one that it continues as new with, "" the newest.
	versions []string
	next     string
	strict   bool // rule 9
}

// programs are those of a run; one starts only those behind it.
type programs []*program

func newPrograms(c *choice.Choices) programs {
	all := make(programs, 1+c.IntN(c.At(choice.OfProgram, "programs"), 4))
	for i := range all {
		p := &program{name: fmt.Sprintf("P%d", i)}
		p.versions, p.next = drawVersions(c, p.name)
		p.strict = drawStrict(c, p.name)
		all[i] = p
	}
	for i, p := range all {
		at := c.At(choice.OfProgram, p.name)
		p.fails = c.OneIn(at, 8)
		p.catches = c.Even(at)
		p.rounds = []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4}[c.IntN(at, 12)]
		d := drawing{c: c, name: p.name, at: i, programs: all}
		p.body = d.block(0)
		if loop := c.At(at, "loop"); c.OneIn(loop, 5) {
			p.loops(3+c.IntN(loop, 4), c.Even(loop))
		}
		if parent := c.At(at, "parent"); i+1 < len(all) && c.OneIn(parent, 6) {
			p.body = append([]*statement{{kind: kChild, id: 95, n: i + 1, attempts: 1}}, p.body...)
		}
	}
	return all
}

const loopID = 40 // of the statement that a loop begins with

func (p *program) isLoop() bool { return len(p.body) > 0 && p.body[0].id == loopID }

// loops makes of a program one that waits for an event in each of its rounds,
// with little else to do: events bring about that it continues as new, also
// several within one invocation, and so do those that were parked.
func (p *program) loops(rounds int, more bool) {
	p.rounds = rounds
	body := []*statement{{kind: kEvent, id: loopID, attempts: 1}}
	for _, s := range p.body {
		if more && len(body) == 1 && s.kind != kChild && s.kind != kWithin && s.kind != kDetach && s.kind != kBranches {
			body = append(body, s)
		}
	}
	p.body = body
}

// mostExecutions is how many executions the roots of most runs have together.
// Loops that start loops multiply: without a bound, one run in thirty takes a
// fifth of the time, and shows in its hundredth execution what the twentieth has.
const mostExecutions = 12

// bound takes rounds off the programs, the longest first, until so many roots
// keep to mostExecutions, or no program has more than one round.
func (ps programs) bound(roots int) {
	for roots*ps.executions(0) > mostExecutions {
		longest := ps[0]
		for _, p := range ps {
			if p.rounds > longest.rounds {
				longest = p
			}
		}
		if longest.rounds == 1 {
			return
		}
		longest.rounds--
	}
}

// executions are how many a program has, with the instances that it starts.
func (ps programs) executions(at int) int {
	n := 1
	for s := range statementsOf(ps[at].body) {
		switch s.kind {
		case kChild, kWithin, kDetach:
			n += ps.executions(s.n)
		}
	}
	return n * ps[at].rounds
}

type drawing struct {
	c        *choice.Choices
	name     string
	at, id   int
	programs programs
}

// block has places for statements, each of which is taken or not: so one can be
// left out without another becoming something else.
func (d *drawing) block(depth int) []*statement {
	var b []*statement
	for place := range 5 - 2*depth {
		if depth == 0 {
			d.id = 10 * place // Branches have up to nine statements.
		}
		d.id++
		at := d.c.AtNumber(d.c.At(choice.OfProgram, d.name), d.id)
		if d.c.Chance(at, 6000) {
			b = append(b, d.statement(at, depth))
		}
	}
	return b
}

func (d *drawing) statement(at choice.Spot, depth int) *statement {
	s := &statement{kind: kind(d.c.IntN(at, int(kindEnd))), id: d.id, n: d.c.IntN(at, 3), attempts: 1 + d.c.IntN(at, 3)}
	s.d = []time.Duration{0, time.Second, 30 * time.Second, 5 * time.Minute, 20 * time.Minute, 3 * time.Hour, 150 * time.Second}[d.c.IntN(at, 7)]
	if d.c.OneIn(at, 3) {
		s.fails = 1 + d.c.IntN(at, 3)
	}
	switch {
	case d.programs[d.at].strict && s.kind.loose():
		s.kind = kAct
	case s.kind == kBranches && depth > 0:
		s.kind = kJoin
	case (s.kind == kChild || s.kind == kWithin || s.kind == kDetach) && d.at == len(d.programs)-1:
		s.kind = kAct
	}
	switch s.kind {
	case kChild, kWithin, kDetach:
		s.n = d.at + 1 + d.c.IntN(at, len(d.programs)-d.at-1)
		s.version = drawVersion(d.c, d.c.At(at, "version"), d.programs[s.n].versions, 2)
	case kBranches:
		for range 2 + d.c.IntN(at, 2) {
			s.branches = append(s.branches, d.block(depth+1))
		}
	}
	return s
}

// statementsOf are those of a block, with those of its branches.
func statementsOf(b []*statement) iter.Seq[*statement] {
	return func(yield func(*statement) bool) {
		for _, s := range b {
			if !yield(s) {
				return
			}
			for _, branch := range s.branches {
				for inner := range statementsOf(branch) {
					if !yield(inner) {
						return
					}
				}
			}
		}
	}
}

func countStatements(b []*statement) (n int) {
	for range statementsOf(b) {
		n++
	}
	return n
}

// waits counts the waits for each event in a block, at most.
func waits(b []*statement, counts map[int]int, times int) {
	for _, s := range b {
		switch s.kind {
		case kEvent, kEventOr, kHold:
			counts[s.n] += times
		case kWaits:
			counts[s.n] += 3 * times // the one that is cancelled takes one that came before
		case kLook:
			counts[s.n] += looks * times
		}
		for _, branch := range s.branches {
			waits(branch, counts, times)
		}
	}
}
