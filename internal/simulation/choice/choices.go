// Package choice makes the decisions of a simulated run: from a seed, from recorded
// decisions, or by a search.
package choice

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// Choices makes every decision of a run: what runs, which faults happen, which process runs
// next. A decision is a number from 0 up to the number of alternatives, and 0 is always the
// simplest: no fault, the first option, the smallest program, no delay. A seed decides by
// chance; a source decides in its own way.
//
// Each decision is requested with its spot, so that it keeps its meaning when earlier
// decisions are removed.
type Choices struct {
	random rand.ChaCha8
	// Source decides in place of the seed, if there is one.
	Source Source
	// Free reports where the seed decides nevertheless; nil means nowhere.
	Free func(at Spot) bool
	// Record collects the decisions, if it is set.
	Record *Record
	// Bias is the number of the requested bias, 0 for none.
	Bias int
	// apart decides what Apart decides.
	apart uint64
}

// Source decides in place of a seed, for replays and for systematic search.
type Source interface {
	// Choose returns a number below n; n is at least 2. A result of n or more counts as
	// n-1.
	Choose(at Spot, n int) int
}

// Spot is the location of a decision in a run. The upper half is its subject, the lower
// half a hash of the place, which is 0 unless the decisions are recorded or a source makes
// them.
type Spot uint64

// The kinds of decisions.
const (
	OfProgram  Spot = (iota + 1) << 32 // which scenario, and its programs
	OfClient                           // what clients send, and when
	OfWorld                            // settings, processes, when faults stop
	OfFault                            // which faults happen, and their details
	OfSchedule                         // which process runs next
	OfDelivery                         // what is received together, and how long calls and activities take
)

// Asked reports whether the source makes a decision.
func (c *Choices) Asked(at Spot) bool { return c.Source != nil && (c.Free == nil || !c.Free(at)) }

// Area returns the subject of a decision.
func (s Spot) Area() Spot { return s & (1<<40 - 1<<32) }

// Sort returns the part of an area, such as the kind of a fault.
func (s Spot) Sort() int { return int(s >> 40) }

// Of returns a part of an area.
func (s Spot) Of(sort int) Spot { return s | Spot(sort)<<40 }

// Seeded returns the choices of a seed.
func Seeded(seed uint64) Choices {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	var c Choices
	c.random.Seed(key)
	// SplitMix64
	c.apart = seed + 0x9e3779b97f4a7c15
	c.apart = (c.apart ^ c.apart>>30) * 0xbf58476d1ce4e5b9
	c.apart = (c.apart ^ c.apart>>27) * 0x94d049bb133111eb
	c.apart ^= c.apart >> 31
	return c
}

// Located reports whether decisions need their location. It saves the cost of computing it
// in a run that only has to be fast.
func (c *Choices) Located() bool { return c.Source != nil || c.Record != nil }

// At returns a spot within another, for the named decider, which is "" if there is only
// one.
func (c *Choices) At(of Spot, who string) Spot {
	if !c.Located() {
		return of
	}
	return of.Within(who)
}

// Within returns a spot within another.
func (s Spot) Within(who string) Spot {
	// FNV-1a, applied to the spot that contains it.
	h := uint32(2166136261) ^ uint32(s)
	for i := range len(who) {
		h = (h ^ uint32(who[i])) * 16777619
	}
	return s&^(1<<32-1) | Spot(h)
}

// AtNumber is At for a number.
func (c *Choices) AtNumber(of Spot, n int) Spot {
	if !c.Located() {
		return of
	}
	return c.At(of, fmt.Sprint(n))
}

// IntN decides on a number below n.
func (c *Choices) IntN(at Spot, n int) int {
	if n < 2 {
		return 0
	}
	if c.Asked(at) {
		return c.Given(at, n)
	}
	return c.Note(at, c.Uniform(n))
}

// Even decides yes in half of the cases.
func (c *Choices) Even(at Spot) bool { return c.IntN(at, 2) == 1 }

// Chance decides yes in `parts` of 10,000 cases.
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

// OneIn decides yes in one of n cases.
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

// Apart decides yes for one seed in n. It does not change the other decisions of a seed, so a feature that it
// adds to some runs leaves the others as they were. A run makes one such decision.
func (c *Choices) Apart(at Spot, n int) bool {
	if c.Asked(at) {
		return c.Given(at, 2) == 1
	}
	v := 0
	if c.apart%uint64(n) == 0 {
		v = 1
	}
	return c.Note(at, v) == 1
}

// certain is the whole of which chances are parts.
const certain = 10_000

// Which picks one of several alternatives, each of which happens in its number of 10,000
// cases; sum is their total. 1 is the first alternative, 0 none of them.
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

// Uniform returns a random number below n. A division without rejections is off by less
// than n in 2^64, which does not matter here.
func (c *Choices) Uniform(n int) int {
	high, _ := bits.Mul64(c.random.Uint64(), uint64(n))
	return int(high)
}

// Given asks the source, and records its answer.
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

// Record holds the decisions of a run that were not the simplest, in the order in which
// they were made.
type Record struct {
	Made  []Decision
	count map[Spot]int
}

// Decision is a decision that was made.
type Decision struct {
	At Spot
	// Nth is the number of earlier decisions at the spot.
	Nth   int
	Value int
}

// NewRecord returns a record without decisions.
func NewRecord() *Record { return &Record{count: map[Spot]int{}} }

func (r *Record) note(at Spot, v int) {
	n := r.count[at]
	r.count[at] = n + 1
	if v != 0 {
		r.Made = append(r.Made, Decision{at, n, v})
	}
}

// Replay repeats decisions. Every other decision is the simplest one.
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
