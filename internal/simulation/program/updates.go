package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// Updates is how a program handles updates.
type Updates struct {
	// From is, for each name of an update, the number of statements that start before the program has a
	// handler for it.
	From [2]int
	// Finishes is set if it waits for its handlers before it ends or continues as new.
	Finishes bool
	// Calls is set if it updates another instance while its statements run, and Awaits if it waits for the
	// answer before it ends or continues as new.
	Calls, Awaits bool
	// Moody decides for a validator that depends on more than the variables of the code: two calls for one
	// update may differ.
	Moody func() bool
}

// UpdateName returns the name of the n-th update.
func UpdateName(n int) string { return fmt.Sprintf("u%d", n) }

// UpdateInput is the input of an update.
type UpdateInput struct {
	// ID of the update.
	ID string `json:"hidden"`
	// How it is handled, and Rejects when it is rejected.
	How     updateWay       `json:"how"`
	Rejects updateRejection `json:"rejects"`
	// Seconds that a timer takes.
	Seconds int `json:"seconds,omitempty"`
}

// updateWay is what the handler of an update does.
type updateWay int

const (
	returnsAtOnce updateWay = iota
	awaitsTimer
	awaitsActivity
	awaitsChild
	failsAtOnce
	failsLater
	updateWays
)

var updateWayNames = [updateWays]string{"returns", "timer", "activity", "child", "fails", "fails after an activity"}

// updateRejection is when a validator rejects an update.
type updateRejection int

const (
	rejectsNever updateRejection = iota
	rejectsByVariable
	rejectsByMood
	rejectsAlways
	updateRejections
)

var updateRejectionNames = [updateRejections]string{"never", "at an odd number of statements", "by the validator's mood", "always"}

func (in UpdateInput) String() string {
	return fmt.Sprintf("%s: %s, rejected %s", in.ID, updateWayNames[in.How], updateRejectionNames[in.Rejects])
}

// ByMood reports whether the validator decides about the update of this input by its mood.
func ByMood(input []byte) bool {
	var in UpdateInput
	return json.Unmarshal(input, &in) == nil && in.Rejects == rejectsByMood
}

// drawUpdates makes a program handle updates. It continues as new more often than others, because clients
// repeat updates in later executions.
func (p *Program) drawUpdates(c *choice.Choices, at choice.Spot) {
	p.Updates = &Updates{Finishes: c.Even(at)}
	for i := range p.Updates.From {
		p.Updates.From[i] = []int{0, 0, 1, 2, 4}[c.IntN(at, 5)]
	}
	if calls := c.At(at, "calls"); c.OneIn(calls, 3) {
		p.Updates.Calls, p.Updates.Awaits = true, !c.OneIn(calls, 4)
	}
	p.Rounds = max(p.Rounds, []int{1, 2, 3}[c.IntN(at, 3)])
}

// DrawUpdate draws the input of an update.
func DrawUpdate(c *choice.Choices, at choice.Spot, id string) UpdateInput {
	return UpdateInput{
		ID: id, How: updateWay(c.IntN(at, int(updateWays))), Rejects: []updateRejection{0, 0, 0, rejectsByVariable, rejectsByMood, rejectsAlways}[c.IntN(at, 6)],
		Seconds: []int{0, 1, 60, 3600}[c.IntN(at, 4)],
	}
}

// handleUpdates registers the handlers that are due. An older build has none.
func (r *interpreter) handleUpdates() error {
	u := r.program.Updates
	if u == nil || r.defect.Kind == "older" {
		return nil
	}
	for i, from := range u.From {
		if from != r.count {
			continue
		}
		if err := r.root.HandleUpdate(UpdateName(i), engine.UpdateHandler{Validate: r.validate, Handle: r.handle}); err != nil {
			return err
		}
	}
	return nil
}

func (r *interpreter) validate(input []byte) error {
	var in UpdateInput
	if err := json.Unmarshal(input, &in); err != nil {
		return errors.New("its input cannot be decoded")
	}
	reject := false
	switch in.Rejects {
	case rejectsByVariable:
		reject = r.count%2 == 1
	case rejectsByMood:
		reject = r.program.Updates.Moody()
	case rejectsAlways:
		reject = true
	}
	if reject {
		return fmt.Errorf("rejected %s", updateRejectionNames[in.Rejects])
	}
	return nil
}

// handle runs an update. Its output shows the variables of the code at its start, which a replay must find
// again.
func (r *interpreter) handle(ctx *engine.Context, input []byte) ([]byte, error) {
	growStack()
	var in UpdateInput
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, err
	}
	r.handled++
	n, started := r.handled, r.count
	work, _ := json.Marshal(Work{ID: 996, Round: r.round, I: n, Version: r.version})
	var err error
	switch in.How {
	case awaitsTimer:
		_, err = ctx.Await(ctx.Timer(time.Duration(in.Seconds) * time.Second))
	case awaitsActivity, failsLater:
		_, err = got(ctx.Await(ctx.Activity(engine.ActivityCall{Name: "work", Input: work})))
	case awaitsChild:
		_, err = got(ctx.Await(ctx.Child(engine.ChildCall{Name: "helps", Input: []byte(`{}`)})))
	}
	if err == nil && (in.How == failsAtOnce || in.How == failsLater) {
		err = errors.New("it fails")
	}
	if err != nil {
		return nil, err
	}
	return UpdateOutput(in.ID, n, started), nil
}

// UpdateOutput returns the output of the n-th update that an execution has accepted, after some of its
// statements had started.
func UpdateOutput(id string, n, started int) []byte {
	return fmt.Appendf(nil, `"hidden %s was number %d after %d"`, id, n, started)
}

// serviceLife is how long an instance serves updates.
var serviceLife = []time.Duration{time.Second, time.Minute, time.Hour}

// serves handles the updates of another instance, and ends after some time. Half of them let their handlers
// return.
func serves(ctx *engine.Context, input []byte) ([]byte, error) {
	var n int
	if err := json.Unmarshal(input, &n); err != nil {
		return nil, err
	}
	err := ctx.HandleUpdate("serve", engine.UpdateHandler{Handle: func(c *engine.Context, in []byte) ([]byte, error) {
		if n%5 < 3 {
			if _, err := c.Await(c.Timer(20 * time.Second)); err != nil {
				return nil, err
			}
		}
		return in, nil
	}})
	if err != nil {
		return nil, err
	}
	if _, err := ctx.Await(ctx.Timer(serviceLife[n%len(serviceLife)])); err != nil {
		return nil, err
	}
	if n%2 == 0 {
		err = ctx.AwaitHandlers()
	}
	return []byte(`"served"`), err
}

// callsUpdate starts an instance and updates it. It gets the answer of the handler, or learns that the other
// instance has not decided or has not finished.
func (r *interpreter) callsUpdate(ctx *engine.Context) *engine.Future {
	info := ctx.Info()
	instance := fmt.Sprintf("%s+%d.serves", info.Instance, info.ExecutionID)
	n := len(r.program.Body) + r.round + int(info.ExecutionID)
	return ctx.Go(func(c *engine.Context) ([]byte, error) {
		growStack()
		if _, err := c.Detach(engine.ChildCall{Name: "serves", Input: fmt.Append(nil, n), Instance: instance}); err != nil {
			return nil, err
		}
		in := fmt.Appendf(nil, `"hidden service of %d"`, n)
		f := c.CallUpdate("serve", instance, in, nil)
		document, err := c.Await(f)
		if err != nil {
			return nil, err
		}
		out, _, err := engine.AnswerOf(f, document)
		var failed *engine.FailureError
		switch {
		case errors.As(err, &failed):
			return nil, nil
		case err == nil && string(out) != string(in):
			panic(fmt.Sprintf("the answer to an update of %s is %s, not %s", instance, out, in))
		}
		return nil, err
	})
}

// code formats the registration of the handlers.
func (u *Updates) code() string {
	if u == nil {
		return ""
	}
	text := ""
	for i, from := range u.From {
		text += fmt.Sprintf("\thandleUpdate(%q)", UpdateName(i))
		if from > 0 {
			text += fmt.Sprintf(" // from statement %d on", from)
		}
		text += "\n"
	}
	if u.Calls {
		text += "	go callUpdate(detach(serves))"
		if u.Awaits {
			text += " // awaited before the end"
		}
		text += "\n"
	}
	if u.Finishes {
		text += "\tdefer awaitHandlers() // unless it was cancelled\n"
	}
	return text
}
