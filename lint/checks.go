package lint

import "strings"

// A check is one kind of finding. Its name is the prefix of each message, and is used in the
// comment that silences it.
type check string

const (
	clock     check = "clock"
	random    check = "random"
	goroutine check = "goroutine"
	channel   check = "channel"
	locks     check = "sync"
	mapOrder  check = "maporder"
	env       check = "env"
	file      check = "file"
	network   check = "network"
	process   check = "process"
	output    check = "output"
	context   check = "context"
	global    check = "global"
	durable   check = "durable"
	capture   check = "capture"
	dropped   check = "dropped"
	// allow is the check of the comments themselves, and cannot be silenced.
	allow check = "allow"
)

// checks are the checks that a comment can silence, in the order of docs/lint.md.
var checks = []check{
	clock, random, goroutine, channel, locks, mapOrder, env, file, network, process, output, context, global, durable, capture, dropped,
}

// abroad reports whether a check applies to functions of other modules. A library may use its own
// locks, variables and maps as long as its results do not depend on them, and most caches do.
func (c check) abroad() bool {
	switch c {
	case locks, mapOrder, output, context, global:
		return false
	}
	return true
}

// instead returns what to use instead, unless the table of the standard library has a better
// answer.
func (c check) instead() string {
	switch c {
	case clock:
		return "use turnstile.Now, and turnstile.Sleep or turnstile.After to wait"
	case random:
		return "use turnstile.UUID for an id, turnstile.Random for numbers, turnstile.SideEffect for other values"
	case goroutine:
		return "start several operations, or branches with turnstile.Go, and Await, Join or Select them"
	case channel:
		return "wait for operations with Future.Await, turnstile.Select or Join, and for events from outside with Event.Wait"
	case locks:
		return "remove it, because only one branch of an instance runs at a time; if branches have to wait for each other, use turnstile.Mutex, Semaphore or WaitGroup"
	case mapOrder:
		return "range over the sorted keys: for _, k := range slices.Sorted(maps.Keys(m))"
	case env:
		return "put it into the input, or read it in an activity or a turnstile.SideEffect"
	case file, network:
		return "do it in an activity"
	case process:
		return "do it in an activity; to end an orchestration, return"
	case output:
		return "use turnstile.Logger, which is silent on replay"
	case context:
		return "use the turnstile.Context, with turnstile.WithCancel and WithTimeout; call functions that take a context.Context in an activity"
	case global:
		return "keep it in a local variable, or in the input of the next execution"
	case durable:
		return "make the call in the orchestration, before or after"
	case capture:
		return "give the branch a variable of its own, or let it return its result"
	case dropped:
		return "return it from the orchestration"
	}
	return ""
}

func isCheck(name string) bool {
	for _, c := range checks {
		if string(c) == name {
			return true
		}
	}
	return false
}

func checkNames() string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = string(c)
	}
	return strings.Join(names, ", ")
}
