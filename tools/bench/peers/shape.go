package main

import "github.com/turnstile-go/turnstile/tools/bench/workloads"

// work is what an instance does. A step of it is an activity; of a transfer, one
// of its two postings.
type work string

const (
	// chain and fanOut count: activities that add one, one after the other or all
	// at once.
	chain  work = "chain"
	fanOut work = "fan-out"
	// The others are those of tools/bench/workloads. A transfer is between two accounts of
	// its own, which are open before the clock starts and closed after it has
	// stopped. A trip has no car to be had: three bookings, of which the last is
	// refused, and three cancels.
	hello    work = "hello"
	greetAll work = "greet-all"
	transfer work = "transfer"
	trip     work = "trip"
	// ask queries one workflow, which has made its steps before the clock starts, and waits then.
	// Each instance is a query.
	ask work = "ask"
)

// shape is what is run: instances of so many steps, so many side by side.
type shape struct {
	name                  string
	work                  work
	steps                 int
	instances, sideBySide int
}

// tables of shapes, by the name of the flag -table.
var tables = map[string][]shape{
	"steps": {
		{"one chain after the other", chain, 10, 50, 1},
		{"50 chains in parallel", chain, 10, 300, 50},
		{"one fan-out after the other", fanOut, 100, 10, 1},
		{"10 fan-outs in parallel", fanOut, 100, 30, 10},
	},
	"workloads": {
		{"HelloSequence5, 50 in parallel", hello, 5, 100, 50},
		{"FanOutFanIn/1000, one", greetAll, 1000, 1, 1},
		{"Bank, 30 transfers in parallel", transfer, 2, 60, 30},
		{"Trip without a car, 30 in parallel", trip, 6, 60, 30},
	},
	// Engines without queries have no part in it: -only turnstile,temporal.
	"queries": {
		{"query after 3 activities, one after the other", ask, 3, 500, 1},
		{"query after 3 activities, 16 in parallel", ask, 3, 2000, 16},
		{"query after 300 activities, one after the other", ask, 300, 500, 1},
		{"query after 300 activities, 16 in parallel", ask, 300, 2000, 16},
	},
}

// input is what the workflow of the instance with this id is given: the number of
// its steps, if its work says nothing else.
func (s shape) input(id string) any {
	switch s.work {
	case transfer:
		return workloads.Order{From: from(id), To: to(id), Amount: amount}
	case trip:
		return lacking
	}
	return s.steps
}

// made returns the steps that an instance has made, of what its workflow returned:
// their number, or for a trip that it was refused.
func (s shape) made(steps int, err error) (int, error) {
	if s.work == trip {
		return s.steps, refused(err)
	}
	return steps, err
}

// The accounts of a transfer.
func from(id string) string { return id + "-from" }
func to(id string) string   { return id + "-to" }

// opening is the balance of a new account, amount what a transfer moves.
const (
	opening = 100
	amount  = 10
)
