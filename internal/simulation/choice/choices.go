// Package choice makes the decisions of a simulated run: by a seed, by a record of
// earlier ones, or by a search.
package choice

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// Choices is where every decision of a run comes from: what is run, what goes
// wrong, who runs next. A decision is a number from 0 up to what there is to
// choose from, and 0 always is the plainest: no fault, the first option, the
// smallest program, no delay. A seed decides by chance; a source decides as it
// wants.
//
// Each decision is asked for with its spot, so that it keeps its meaning when
// decisions made before it are taken away.
type Choices struct {
	random rand.ChaCha8
	// Source decides in place of the seed, if there is one.
	Source Source
	// Free says where the seed decides all the same; nil is nowhere.
	Free func(at Spot) bool
	// Record notes the decisions, if somebody wants them.
	Record *Record
	// Bias is a number that stands for what was asked to go wrong, 0 for nothing.
	Bias int
}

// Source decides in place of a seed, for replays and for systematic search.
type Source interface {
	// Choose returns a number below n, n being at least 2. What is n or more is
	// taken for n-1.
	Choose(at Spot, n int) int
}

// Spot is where in a run a decision stands: what it is about in the upper half,
// and a hash of where that is in the lower one, which is 0 unless the decisions
// are recorded or a source makes them.
type Spot uint64

// The kinds of decisions.
const (
	OfProgram  Spot = (iota + 1) << 32 // which scenario, and its programs
	OfClient                           // what clients send, and when
	OfWorld                            // settings, processes, when faults stop
	OfFault                            // what goes wrong, and how
	OfSchedule                         // who runs next
	OfDelivery                         // what is received together, and how long calls and activities take
)

// Asked reports whether the source makes a decision.
func (c *Choices) Asked(at Spot) bool { return c.Source != nil && (c.Free == nil || !c.Free(at)) }

// Area is what a decision is about.
func (s Spot) Area() Spot { return s & (1<<40 - 1<<32) }

// Sort is the part of an area: which fault.
func (s Spot) Sort() int { return int(s >> 40) }

// Of is a part of an area.
func (s Spot) Of(sort int) Spot { return s | Spot(sort)<<40 }

// Seeded are the choices of a seed.
func Seeded(seed uint64) Choices {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	var c Choices
	c.random.Seed(key)
	return c
}

// Located reports whether decisions need to know where they stand. It saves a
// run that is only to be fast what it costs to say so.
func (c *Choices) Located() bool { return c.Source != nil || c.Record != nil }

// At is a spot within one: who decides there, which is "" for what there is
// only one of.
func (c *Choices) At(of Spot, who string) Spot {
	if !c.Located() {
		return of
	}
	return of.Within(who)
}

// Within is a spot within one.
func (s Spot) Within(who string) Spot {
	// FNV-1a, on top of what the spot is within already.
	h := uint32(2166136261) ^ uint32(s)
	for i := range len(who) {
		h = (h ^ uint32(who[i])) * 16777619
	}
	return s&^(1<<32-1) | Spot(h)
}

// AtNumber is at for a number.
func (c *Choices) AtNumber(of Spot, n int) Spot {
	if !c.Located() {
		return of
	}
	return c.At(of, fmt.Sprint(n))
}

// IntN decides for a number below n.
func (c *Choices) IntN(at Spot, n int) int {
	if n < 2 {
		return 0
	}
	if c.Asked(at) {
		return c.Given(at, n)
	}
	return c.Note(at, c.Uniform(n))
}

// Even decides for a yes in half of the cases.
func (c *Choices) Even(at Spot) bool { return c.IntN(at, 2) == 1 }

// Chance decides for a yes in so many of 10,000 cases.
func (c *Choices) Chance(at Spot, parts int) bool {
	if c.Asked(at) {
		return c.Given(at, 2) == 1
	}
	v := 0
	if parts > 0 && c.Uniform(certain) < parts {
		v = 1
	}
	return c.Note(at, v) == 1
}

// OneIn decides for a yes in one of n cases.
func (c *Choices) OneIn(at Spot, n int) bool {
	if c.Asked(at) {
		return c.Given(at, 2) == 1
	}
	v := 0
	if c.Uniform(n) == 0 {
		v = 1
	}
	return c.Note(at, v) == 1
}

// certain is what chances are parts of.
const certain = 10_000

// Which decides for one of several, which come to pass in so many of 10,000
// cases each, sum in all: 1 is the first. 0 is none of them.
func (c *Choices) Which(at Spot, parts []int, sum int) int {
	if c.Asked(at) {
		return c.Given(at, len(parts)+1)
	}
	v := 0
	if sum > 0 {
		if u := c.Uniform(max(certain, sum)); u < sum {
			for v = 1; u >= parts[v-1]; v++ {
				u -= parts[v-1]
			}
		}
	}
	return c.Note(at, v)
}

// Uniform is a number below n by chance. A division without rejections is off
// by less than n in 2^64, which does not matter here.
func (c *Choices) Uniform(n int) int {
	high, _ := bits.Mul64(c.random.Uint64(), uint64(n))
	return int(high)
}

// Given asks the source, and notes what it says.
func (c *Choices) Given(at Spot, n int) int {
	return c.Note(at, min(max(c.Source.Choose(at, n), 0), n-1))
}

// Note records a decision, and returns it.
func (c *Choices) Note(at Spot, v int) int {
	if c.Record != nil {
		c.Record.note(at, v)
	}
	return v
}

// Record are the decisions of a run that were not the plainest, in the order in
// which they were made.
type Record struct {
	Made  []Decision
	count map[Spot]int
}

// Decision is a decision that was made.
type Decision struct {
	At Spot
	// Nth is how many were made at the spot before.
	Nth   int
	Value int
}

// NewRecord returns one without decisions.
func NewRecord() *Record { return &Record{count: map[Spot]int{}} }

func (r *Record) note(at Spot, v int) {
	n := r.count[at]
	r.count[at] = n + 1
	if v != 0 {
		r.Made = append(r.Made, Decision{at, n, v})
	}
}

// Replay makes decisions again. What is not among them is the plainest.
type Replay struct {
	values map[Decision]int // by spot and number
	count  map[Spot]int
}

// NewReplay returns a source of the given decisions.
func NewReplay(made []Decision) *Replay {
	r := &Replay{values: make(map[Decision]int, len(made)), count: map[Spot]int{}}
	for _, d := range made {
		r.values[Decision{At: d.At, Nth: d.Nth}] = d.Value
	}
	return r
}

// Choose implements source.
func (r *Replay) Choose(at Spot, _ int) int {
	n := r.count[at]
	r.count[at] = n + 1
	return r.values[Decision{At: at, Nth: n}]
}
