// Package gate lets at most n instances of a key run at once. It is a sample, to be
// copied and changed: it uses what every orchestration can use.
//
// A gate is an instance of an orchestration of this package. It hands out places in the
// order in which it is asked, and waits for the end of each instance that has one. Operators
// move an instance to the front, and set another n, with [Orders].
//
//	app := turnstile.NewApp(gate.Part(), Import.Implement(importOrders))
//
//	func importOrders(ctx turnstile.Context, o Orders) (Result, error) {
//		if err := gate.Enter(ctx, "import "+o.Customer, 2); err != nil {
//			return Result{}, err
//		}
//		…
package gate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
)

// Place is what an instance that has asked for a place is known by.
type Place struct {
	Instance string `json:"instance"`
	// Name of its orchestration.
	Name string `json:"name"`
	// Ask is the id of its last question. An answer to an earlier one counts for nothing.
	Ask string `json:"ask"`
}

// Line is what a gate knows. It is the custom status of its instance, with at most the
// first 100 of Waiting.
type Line struct {
	// N is how many may run: Set, or Asked if that is 0.
	N int `json:"n"`
	// Set is the number that an operator has set, Asked that of the newest question.
	Set   int `json:"set,omitempty"`
	Asked int `json:"asked"`
	// Running have a place, Waiting wait for one, the first first.
	Running []Place `json:"running,omitempty"`
	Waiting []Place `json:"waiting,omitempty"`
	// Length is how many wait.
	Length int `json:"length"`
}

// Order is what an operator tells a gate with [Orders].
type Order struct {
	// First is an instance that waits. It becomes the first of the line. One that does not wait is
	// left where it is.
	First string `json:"first,omitempty"`
	// N is how many may run from now on, whatever questions say. Instances that run are left
	// alone. 0 changes nothing; with a negative number the questions' number holds again.
	N int `json:"n,omitempty"`
}

// Orders is the event of orders, for the instance that [InstanceID] names:
//
//	err := client.Raise(ctx, c, gate.Orders, gate.InstanceID("import ada"), gate.Order{First: "order-17"}, client.CheckRunning())
var Orders = turnstile.NewEvent[Order]("gate.order").Rejecting()

// ErrFull is returned by [Enter] if [Longest] instances wait already.
var ErrFull = errors.New("gate: the line is full")

const (
	// Longest is how many can wait at one gate.
	Longest = 1000
	// shown is how many of those that wait are in the custom status.
	shown = 100
	// An execution has so many events, and so many for each instance that the next has to
	// watch anew.
	events, eventsAPlace = 300, 10
)

type question struct {
	Place
	N int `json:"n"`
}

type answer struct {
	Ask  string `json:"ask,omitempty"`
	Full bool   `json:"full,omitempty"`
	// Again comes from an operator: the instance asks anew, because the gate does not know it any more.
	Again bool `json:"again,omitempty"`
}

var (
	gates     = turnstile.NewOrchestration[Line, turnstile.None]("gate")
	questions = turnstile.NewEvent[question]("gate.question").Rejecting()
	answers   = turnstile.NewEvent[answer]("gate.answer")
)

// Part is the orchestration that gates are instances of.
func Part() turnstile.Part { return gates.With(turnstile.KeepExecutions(10)).Implement(run) }

// InstanceID returns the id of the instance that the gate of a key is.
func InstanceID(key string) string { return "gate:" + key }

// Enter waits until fewer than n of the instances that have entered the gate of the key run.
// The end of an instance gives its place back, whatever end it is, and nothing else does.
// Call it first, in each execution: one that has continued as new keeps its place. One that ended
// while it waited and is redriven asks anew when it gets the event "gate.answer" with
// {"again":true}.
//
// Errors: [ErrFull]; [*turnstile.CancelledError], after which the instance should end.
func Enter(ctx turnstile.Context, key string, n int) error {
	if n < 1 {
		return fmt.Errorf("gate: the limit of %q is %d, it must be at least 1", key, n)
	}
	// It has no effect if the gate is there.
	id, err := gates.With(turnstile.InstanceID(InstanceID(key))).StartDetached(ctx, Line{})
	if err != nil {
		return err
	}
	me := turnstile.Info(ctx)
	var ask string
	question := func() error {
		ask = turnstile.UUID(ctx)
		return questions.RaiseTo(ctx, id, question{Place{me.Instance, me.Name, ask}, n})
	}
	if err := question(); err != nil {
		return err
	}
	for {
		switch a, err := answers.Wait(ctx); {
		case err != nil:
			return err
		case a.Again:
			if err := question(); err != nil {
				return err
			}
		case a.Ask == ask && a.Full:
			return ErrFull
		case a.Ask == ask:
			return nil
		}
	}
}

// runner is one execution of a gate. Its branches share it: one runs at a time.
type runner struct{ Line }

// run is the implementation of the orchestration.
func run(ctx turnstile.Context, line Line) (turnstile.None, error) {
	// A cancel of the gate would be one of all who wait at it.
	ctx = turnstile.WithoutCancel(ctx)
	r := &runner{line}
	// What an earlier execution has watched tells this one of its end.
	for _, p := range slices.Concat(r.Running, r.Waiting) {
		r.watch(ctx, p)
	}
	// Nothing is free, unless an operator has begun the gate again with another line.
	if err := r.admit(ctx); err != nil {
		return turnstile.None{}, err
	}
	// A branch takes an order and carries it out in one go, so none is lost when the gate continues as new.
	turnstile.Go(ctx, func(ctx turnstile.Context) (turnstile.None, error) {
		for {
			o, err := Orders.Wait(ctx)
			if err != nil {
				return turnstile.None{}, err
			}
			if err := r.ordered(ctx, o); err != nil {
				return turnstile.None{}, err
			}
		}
	})
	for {
		q, err := questions.Wait(ctx)
		if err != nil {
			return turnstile.None{}, err
		}
		if err := r.asked(ctx, q); err != nil {
			return turnstile.None{}, err
		}
		if turnstile.Info(ctx).HistoryLength > int64(events+eventsAPlace*(len(r.Running)+len(r.Waiting))) {
			return turnstile.None{}, gates.ContinueAsNew(ctx, r.Line)
		}
	}
}

// asked takes a question.
func (r *runner) asked(ctx turnstile.Context, q question) error {
	r.Asked = q.N
	same := func(p Place) bool { return p.Instance == q.Instance }
	waits := slices.IndexFunc(r.Waiting, same)
	switch {
	case slices.ContainsFunc(r.Running, same): // It has continued as new, or asks twice.
		if err := answers.RaiseTo(ctx, q.Instance, answer{Ask: q.Ask}); err != nil {
			return err
		}
	case waits >= 0: // It has given up an earlier question, and keeps its place in the line.
		r.Waiting[waits] = q.Place
	case len(r.Waiting) >= Longest:
		return answers.RaiseTo(ctx, q.Instance, answer{Ask: q.Ask, Full: true})
	default:
		r.Waiting = append(r.Waiting, q.Place)
		r.watch(ctx, q.Place)
	}
	return r.admit(ctx)
}

// ordered carries out an order.
func (r *runner) ordered(ctx turnstile.Context, o Order) error {
	if o.N != 0 {
		r.Set = max(o.N, 0)
	}
	if i := slices.IndexFunc(r.Waiting, func(p Place) bool { return p.Instance == o.First }); i > 0 {
		first := r.Waiting[i]
		r.Waiting = slices.Insert(slices.Delete(r.Waiting, i, i+1), 0, first)
	}
	return r.admit(ctx)
}

// watch starts a branch that waits for the end of an instance, as a parent does that leaves
// its child.
func (r *runner) watch(ctx turnstile.Context, p Place) {
	instance := turnstile.NewOrchestration[any, any](p.Name).With(turnstile.InstanceID(p.Instance),
		turnstile.UseExisting(), turnstile.ParentClosePolicy(turnstile.Abandon))
	turnstile.Go(ctx, func(ctx turnstile.Context) (turnstile.None, error) {
		for {
			_, err := instance.Call(ctx, nil)
			if !unsent(err) {
				break // Completed, failed, cancelled, terminated or purged: it has ended.
			}
			if err := turnstile.Sleep(ctx, time.Minute); err != nil {
				return turnstile.None{}, err
			}
		}
		same := func(other Place) bool { return other.Instance == p.Instance }
		r.Running, r.Waiting = slices.DeleteFunc(r.Running, same), slices.DeleteFunc(r.Waiting, same)
		return turnstile.None{}, r.admit(ctx)
	})
}

// unsent reports whether the gate is not attached to an instance, because the queue has
// rejected the message that asks for it. The instance may run.
func unsent(err error) bool {
	failed, ok := errors.AsType[*turnstile.ChildError](err)
	return ok && failed.Kind == turnstile.KindTooLarge && strings.HasPrefix(failed.Message, "the input of ")
}

// admit gives the free places to the first that wait.
func (r *runner) admit(ctx turnstile.Context) error {
	r.N = cmp.Or(r.Set, r.Asked)
	for len(r.Running) < r.N && len(r.Waiting) > 0 {
		first := r.Waiting[0]
		r.Waiting, r.Running = r.Waiting[1:], append(r.Running, first)
		if err := answers.RaiseTo(ctx, first.Instance, answer{Ask: first.Ask}); err != nil {
			return err
		}
	}
	r.Length = len(r.Waiting)
	status := r.Line
	status.Waiting = status.Waiting[:min(r.Length, shown)]
	return turnstile.SetCustomStatus(ctx, status)
}
