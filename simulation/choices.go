package simulation

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// choices is where every decision of a run comes from: what is run, what goes
// wrong, who runs next. A decision is a number from 0 up to what there is to
// choose from, and 0 always is the plainest: no fault, the first option, the
// smallest program, no delay. A seed decides by chance; a source decides as it
// wants.
//
// Whoever needs a decision says on which spot it stands, so that a decision
// keeps its meaning when others, made ahead of it, are taken away.
type choices struct {
	random rand.ChaCha8
	// source decides in place of the seed, if there is one.
	source source
	// free says where the seed decides all the same; nil is nowhere.
	free func(at spot) bool
	// record notes the decisions, if somebody wants them.
	record *record
	// bias that was asked for.
	bias bias
}

// source decides in place of a seed, for replays and for systematic search.
type source interface {
	// choose returns a number below n, n being at least 2. What is n or more is
	// taken for n-1.
	choose(at spot, n int) int
}

// spot is where in a run a decision stands: what it is about in the upper half,
// and a hash of where that is in the lower one, which is 0 unless the decisions
// are recorded or a source makes them.
type spot uint64

// What decisions are about.
const (
	ofProgram  spot = (iota + 1) << 32 // which scenario, and its programs
	ofClient                           // what clients send, and when
	ofWorld                            // settings, processes, when faults stop
	ofFault                            // what goes wrong, and how
	ofSchedule                         // who runs next
	ofDelivery                         // what is received together, and how long calls and activities take
)

// asked reports whether the source makes a decision.
func (c *choices) asked(at spot) bool { return c.source != nil && (c.free == nil || !c.free(at)) }

// area is what a decision is about.
func (s spot) area() spot { return s & (1<<40 - 1<<32) }

// sort is the part of an area: which fault.
func (s spot) sort() int { return int(s >> 40) }

// of is a part of an area.
func (s spot) of(sort int) spot { return s | spot(sort)<<40 }

// seeded are the choices of a seed.
func seeded(seed uint64) choices {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	var c choices
	c.random.Seed(key)
	return c
}

// located reports whether decisions need to know where they stand. It saves a
// run that is only to be fast what it costs to say so.
func (c *choices) located() bool { return c.source != nil || c.record != nil }

// at is a spot within one: who decides there, which is "" for what there is
// only one of.
func (c *choices) at(of spot, who string) spot {
	if !c.located() {
		return of
	}
	return of.within(who)
}

// within is a spot within one.
func (s spot) within(who string) spot {
	// FNV-1a, on top of what the spot is within already.
	h := uint32(2166136261) ^ uint32(s)
	for i := range len(who) {
		h = (h ^ uint32(who[i])) * 16777619
	}
	return s&^(1<<32-1) | spot(h)
}

// atNumber is at for a number.
func (c *choices) atNumber(of spot, n int) spot {
	if !c.located() {
		return of
	}
	return c.at(of, fmt.Sprint(n))
}

// intN decides for a number below n.
func (c *choices) intN(at spot, n int) int {
	if n < 2 {
		return 0
	}
	if c.asked(at) {
		return c.given(at, n)
	}
	return c.note(at, c.uniform(n))
}

// even decides for a yes in half of the cases.
func (c *choices) even(at spot) bool { return c.intN(at, 2) == 1 }

// chance decides for a yes in so many of 10,000 cases.
func (c *choices) chance(at spot, parts int) bool {
	if c.asked(at) {
		return c.given(at, 2) == 1
	}
	v := 0
	if parts > 0 && c.uniform(certain) < parts {
		v = 1
	}
	return c.note(at, v) == 1
}

// oneIn decides for a yes in one of n cases.
func (c *choices) oneIn(at spot, n int) bool {
	if c.asked(at) {
		return c.given(at, 2) == 1
	}
	v := 0
	if c.uniform(n) == 0 {
		v = 1
	}
	return c.note(at, v) == 1
}

// certain is what chances are parts of.
const certain = 10_000

// which decides for one of several, which come to pass in so many of 10,000
// cases each, sum in all: 1 is the first. 0 is none of them.
func (c *choices) which(at spot, parts []int, sum int) int {
	if c.asked(at) {
		return c.given(at, len(parts)+1)
	}
	v := 0
	if sum > 0 {
		if u := c.uniform(max(certain, sum)); u < sum {
			for v = 1; u >= parts[v-1]; v++ {
				u -= parts[v-1]
			}
		}
	}
	return c.note(at, v)
}

// uniform is a number below n by chance. A division free of rejections is off
// by less than n in 2^64, which nobody ever sees.
func (c *choices) uniform(n int) int {
	high, _ := bits.Mul64(c.random.Uint64(), uint64(n))
	return int(high)
}

func (c *choices) given(at spot, n int) int {
	return c.note(at, min(max(c.source.choose(at, n), 0), n-1))
}

func (c *choices) note(at spot, v int) int {
	if c.record != nil {
		c.record.note(at, v)
	}
	return v
}

// record are the decisions of a run that were not the plainest, in the order in
// which they were made.
type record struct {
	made  []decision
	count map[spot]int
}

// decision is one that was made.
type decision struct {
	at spot
	// nth is how many were made at the spot before.
	nth   int
	value int
}

func newRecord() *record { return &record{count: map[spot]int{}} }

func (r *record) note(at spot, v int) {
	n := r.count[at]
	r.count[at] = n + 1
	if v != 0 {
		r.made = append(r.made, decision{at, n, v})
	}
}

// replay makes decisions again. What is not among them is the plainest.
type replay struct {
	values map[decision]int // by spot and number
	count  map[spot]int
}

func newReplay(made []decision) *replay {
	r := &replay{values: make(map[decision]int, len(made)), count: map[spot]int{}}
	for _, d := range made {
		r.values[decision{at: d.at, nth: d.nth}] = d.value
	}
	return r
}

// choose implements source.
func (r *replay) choose(at spot, _ int) int {
	n := r.count[at]
	r.count[at] = n + 1
	return r.values[decision{at: at, nth: n}]
}

// turn is the spot of who runs next: what the first of those that can go on is
// about to do.
func (c *choices) turn(ready []*process) spot {
	if len(ready) == 0 || !c.located() {
		return ofSchedule
	}
	return c.at(ofSchedule, ready[0].running.about)
}
