package program

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// Kind is the kind of a statement.
type Kind int

const (
	kAct        Kind = iota // an activity, awaited
	kInline                 // an inline activity, awaited
	kTimer                  // a timer, awaited
	kEvent                  // an external event, awaited
	kEventOr                // an external event or a timeout; the loser is cancelled
	kRace                   // an activity against a timer; the loser is cancelled
	kKeep                   // an activity against a timer, then both awaited
	kJoin                   // several activities, joined
	kSettle                 // several, some of which fail, settled
	kAny                    // several, some of which fail; the first that succeeds
	kCompleted              // several, as they complete
	kBranches               // concurrent branches, joined
	kChild                  // a sub-orchestration, awaited
	kDetach                 // a detached orchestration
	kSystem                 // now, a GUID, a side effect
	kStatus                 // a state
	kScope                  // an activity in a scope that is cancelled
	kOpen                   // an activity and a timer that are not awaited
	kWithin                 // a child against a timer; the loser is cancelled
	kPolicy                 // an activity whose retries are limited: by time, by the error, or by the delay that it requests
	kBeat                   // an activity with heartbeats, against a timer
	kOnce                   // an activity whose attempts start at most once
	kPending                // an activity that a client completes with its token
	kSteps                  // inline activities one after the other, in batches
	kTimeout                // several operations in a scope with a timeout
	kLeft                   // a child that is left open when its parent ends, and must end with it
	KindPatched             // code that was changed in place
	kTell                   // an event raised for another instance
	kCall                   // another instance, which is cancelled after its answer
	kDeadly                 // an activity that kills its worker on every delivery
	kWaits                  // three waits for one event, the first or the second of which is cancelled
	kShare                  // a child with an id that others use too: all wait for one instance
	kLook                   // polls for an event without waiting for it
	kHold                   // one wait for an event over several selects against timers
	kSaga                   // activities one after the other, undone in reverse order if one fails
	drawnEnd                // end of the kinds that are drawn
)

// Kinds that replace a drawn one.
const (
	kUntil     = drawnEnd + iota // an activity, then a timer until a time that was read before it
	kWithdrawn                   // a select, a settle, an any or a loop in a scope that is cancelled meanwhile
	kLosers                      // a select over four, in an order other than that of their scheduling
	kindEnd
)

var KindNames = [kindEnd]string{"act", "inline", "timer", "event", "event or timeout", "race", "keep", "join", "settle", "any", "as completed",
	"branches", "child", "detach", "system", "status", "scope", "open", "child within", "policy", "beat", "once", "pending", "steps", "timeout",
	"left", "patched", "tell", "call", "deadly", "waits", "share", "look", "hold", "saga", "until", "withdrawn", "losers"}

// Statement is one step of a program.
type Statement struct {
	Kind     Kind
	ID       int
	N        int           // how many; which program; which event
	Duration time.Duration // of a timer
	// Fails and Attempts: the activity fails this many times, and has this many attempts.
	Fails, Attempts int
	// Rejects is set if its waits for events reject data that cannot be decoded; if the statement makes another
	// instance send an event, such data is sent first.
	Rejects bool
	// Limit and Rate over instances of its activities, as indexes into limitsOf and ratesOf; 0 for
	// none.
	Limit, Rate int
	// Queue of its activities, and Key by which they share it, as indexes into queuesOf and keysOf; 0
	// for none. Spread: they name one queue after the other.
	Queue, Key int
	Spread     bool
	// Lasts is set if the child is left open when its parent ends, and lasts for weeks.
	Lasts bool
	// Way selects a variant.
	Way      int
	Branches [][]*Statement
	// Version is the requested version of the child; "" is the newest.
	Version string
}

// Program is the body of one orchestration.
type Program struct {
	Name string
	Body []*Statement
	// Rounds is its number of executions; it continues as new between them.
	Rounds int
	// Fails is set if it returns an error at its end. Catches is set if, when cancelled, it cleans up and returns
	// what it has; otherwise it returns the cancelled error.
	Fails, Catches bool
	// Versions under which it is registered, oldest first, nil for one without a name; next is the one
	// that it continues as new with, "" the newest.
	Versions []string
	Next     string
	Strict   bool // rule 9
	// Shows is set if it sets two states before each statement: one alternates between two values, the other
	// grows.
	Shows bool
	// Limit is the number of its instances that may run at a time, with its name as the key; 0 for any
	// number.
	Limit int
	// Updates is how it handles updates; nil if it does not.
	Updates *Updates
	// most and mostText are the limits of payloads and texts that it is near; 0 if it is near none.
	// drawn, which differs between programs, chooses what is near them.
	most, mostText int
	drawn          string
}

// Programs are all programs of a run. A program starts only later ones.
type Programs []*Program

// Wants are the features that a run should have many of.
type Wants struct {
	// Limited is set if most activities that can have a limit over instances have one; Queues, if most name a
	// queue; Lasting, if children that are left open last for weeks; Parents, if most programs that can start
	// with a child do.
	Limited, Queues, Lasting, Parents bool
	// Updates is set if the programs handle updates.
	Updates bool
}

// Draw generates the programs of a run.
func Draw(c *choice.Choices, wants Wants) Programs {
	all := make(Programs, 1+c.IntN(c.At(choice.OfProgram, "programs"), 4))
	for i := range all {
		p := &Program{Name: fmt.Sprintf("P%d", i)}
		p.Versions, p.Next = drawVersions(c, p.Name)
		p.Strict, p.Shows = drawStrict(c, p.Name), drawShows(c, p.Name)
		all[i] = p
	}
	for i, p := range all {
		at := c.At(choice.OfProgram, p.Name)
		p.Fails = c.OneIn(at, 8)
		p.Catches = c.Even(at)
		p.Rounds = []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4}[c.IntN(at, 12)]
		d := drawing{c: c, name: p.Name, at: i, programs: all, wants: wants}
		p.Body = d.block(0)
		if loop := c.At(at, "loop"); c.OneIn(loop, 5) {
			p.loops(3+c.IntN(loop, 4), c.Even(loop), drawRejects(c, loop))
		}
		if parent := c.At(at, "parent"); i+1 < len(all) && (wants.Parents && !c.OneIn(parent, 4) || !wants.Parents && c.OneIn(parent, 6)) {
			p.Body = append([]*Statement{{Kind: kChild, ID: 95, N: i + 1, Attempts: 1}}, p.Body...)
		}
		if wants.Updates {
			p.drawUpdates(c, c.At(at, "updates"))
		}
	}
	return all
}

const (
	loopID   = 40   // of the statement that starts a loop
	insideID = 1000 // below the ids of statements in branches inside branches
)

// IsLoop reports whether the program is a loop over continue-as-new.
func (p *Program) IsLoop() bool { return len(p.Body) > 0 && p.Body[0].ID == loopID }

// loops makes a program wait for an event in each of its rounds, with little else: it continues as new
// because of events, including parked ones, and may do so several times within one invocation.
func (p *Program) loops(rounds int, more, rejects bool) {
	p.Rounds = rounds
	body := []*Statement{{Kind: kEvent, ID: loopID, Attempts: 1, Rejects: rejects}}
	for _, s := range p.Body {
		if more && len(body) == 1 && s.Kind != kChild && s.Kind != kWithin && s.Kind != kDetach && s.Kind != kBranches {
			body = append(body, s)
		}
	}
	p.Body = body
}

// mostExecutions is the number of executions that the roots of most runs have together. Loops that
// start loops multiply: without a limit, one run in 30 takes a fifth of the time, and its 100th
// execution shows nothing that the 20th does not.
const mostExecutions = 12

// Bound removes rounds from the programs, the longest first, until this many roots stay within
// mostExecutions, or no program has more than one round.
func (ps Programs) Bound(roots int) {
	for roots*ps.executions(0) > mostExecutions {
		longest := ps[0]
		for _, p := range ps {
			if p.Rounds > longest.Rounds {
				longest = p
			}
		}
		if longest.Rounds == 1 {
			return
		}
		longest.Rounds--
	}
}

// Continue reports whether a program continues as new.
func (ps Programs) Continue() bool {
	return slices.ContainsFunc(ps, func(p *Program) bool { return p.Rounds > 1 })
}

// executions returns how many executions a program has, including those of the instances that it
// starts.
func (ps Programs) executions(at int) int {
	n := 1
	for s := range statementsOf(ps[at].Body) {
		switch s.Kind {
		case kChild, kWithin, kDetach:
			n += ps.executions(s.N)
		}
	}
	return n * ps[at].Rounds
}

type drawing struct {
	c        *choice.Choices
	name     string
	at, id   int
	programs Programs
	wants    Wants
}

// block has positions for statements, each of which is used or not, so that one can be left out
// without changing another.
func (d *drawing) block(depth int) []*Statement {
	var b []*Statement
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

func (d *drawing) statement(at choice.Spot, depth int) *Statement {
	s := &Statement{Kind: Kind(d.c.IntN(at, int(drawnEnd))), ID: d.id, N: d.c.IntN(at, 3), Attempts: 1 + d.c.IntN(at, 3)}
	s.Duration = []time.Duration{0, time.Second, 30 * time.Second, 5 * time.Minute, 20 * time.Minute, 3 * time.Hour, 150 * time.Second}[d.c.IntN(at, 7)]
	if d.c.OneIn(at, 3) {
		s.Fails = 1 + d.c.IntN(at, 3)
	}
	if (s.Kind == kScope || s.Kind == kTimeout || s.Kind == kOpen) && d.c.Even(d.c.At(at, "withdrawn")) {
		s.Kind = kWithdrawn
	}
	switch {
	case d.programs[d.at].Strict && s.Kind.Loose():
		s.Kind = kAct
	case s.Kind == kBranches && (depth > 1 || depth > 0 && !d.c.OneIn(d.c.At(at, "branches inside"), 2)):
		s.Kind = kJoin
	case (s.Kind == kChild || s.Kind == kWithin || s.Kind == kDetach) && d.at == len(d.programs)-1:
		s.Kind = kAct
	}
	if s.Kind.waiting() || s.Kind == kTell || s.Kind == kCall {
		s.Rejects = drawRejects(d.c, at)
	}
	s.Lasts = s.Kind == kLeft && d.wants.Lasting
	switch s.Kind {
	case kInline, kSteps:
		if d.c.Even(d.c.At(at, "drawn")) {
			s.Way = drawn
		}
	case kScope:
		if way := d.c.At(at, "way"); d.c.OneIn(way, 3) {
			s.Way = 1 + d.c.IntN(way, eachAlone)
		}
	case kTimer:
		if d.c.OneIn(d.c.At(at, "until"), 3) {
			s.Kind = kUntil
		}
	case kRace:
		if d.c.OneIn(d.c.At(at, "losers"), 3) {
			s.Kind = kLosers
		}
	case kChild, kWithin, kDetach:
		s.N = d.at + 1 + d.c.IntN(at, len(d.programs)-d.at-1)
		s.Version = DrawVersion(d.c, d.c.At(at, "version"), d.programs[s.N].Versions, 2)
	case kBranches:
		outer := d.id
		if depth > 0 {
			d.id = insideID + 10*outer // The next ids belong to its neighbours.
		}
		for range 2 + d.c.IntN(at, 2) {
			s.Branches = append(s.Branches, d.block(depth+1))
		}
		if depth > 0 {
			d.id = outer
		}
	}
	s.drawLimits(d.c, d.c.At(at, "limits"), d.wants.Limited)
	if d.wants.Queues {
		s.drawQueue(d.c, d.c.At(at, "queue"))
	}
	return s
}

// statementsOf returns the statements of a block, including those in its branches.
func statementsOf(b []*Statement) iter.Seq[*Statement] {
	return func(yield func(*Statement) bool) {
		for _, s := range b {
			if !yield(s) {
				return
			}
			for _, branch := range s.Branches {
				for inner := range statementsOf(branch) {
					if !yield(inner) {
						return
					}
				}
			}
		}
	}
}

// CountStatements counts the statements of a block, including those in its branches.
func CountStatements(b []*Statement) (n int) {
	for range statementsOf(b) {
		n++
	}
	return n
}

// Waits counts the waits for each event in a block, at most.
func Waits(b []*Statement, counts map[int]int, times int) {
	for _, s := range b {
		switch s.Kind {
		case kEvent, kEventOr, kHold:
			counts[s.N] += times
		case kWaits:
			counts[s.N] += 3 * times // the cancelled one takes an event that arrived before
		case kLook:
			counts[s.N] += looks * times
		}
		for _, branch := range s.Branches {
			Waits(branch, counts, times)
		}
	}
}
