// Package acts has the actions of operators, called acts, one row each: the name of an act, what it does, what it takes
// and returns, and its call. The routes of the API and their client, the buttons and dialogs of the page, commands, and
// the tools of agents are made from the rows. An act with a form of its own, such as a redrive, has its own command,
// tool or dialog in addition to its row.
package acts

import (
	"context"
	"errors"
	"fmt"
	"path"
	"reflect"
	"strings"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Row describes an act to people and to programs.
type Row struct {
	// Path of its route in the API, such as "instances/{id}/cancel". The last segment is its name.
	Path string
	// Title is the text of its button, Summary the summary of its route, and Does a description in one or two sentences.
	Title, Summary, Does string
	// Final is set if it cannot be undone, Destroys if it discards work or data.
	Final, Destroys bool
	// Reason is set if it takes a reason, which the history records.
	Reason bool
	// Many is set if the page can apply it to many instances at once.
	Many bool
	// Of is the kind of operation that it acts on: "timer" or "activity"; empty for none. Verb is what the operation
	// then does, in one word: "fire".
	Of, Verb string
	// Needs is the field that the operation must have under "live" in its timeline row, such as "next" for a next
	// attempt; empty for none.
	Needs string
	// Sends is the text of the button in its dialog; empty for its title.
	Sends string
	// Command is empty if the act has no command, or its own. The same applies to Tool.
	Command Command
	Tool    Tool
}

// Command describes an act for the command line.
type Command struct {
	Name string
	// Also are other words that users may try.
	Also []string
	// Short is its line in the list of commands, Long its help.
	Short, Long string
	Examples    []string
	// On are the statuses of the instances that it selects without --status, and Also those that
	// --status can name too.
	On, AlsoOn []client.Status
	// Default is the text of its help about what it selects without --status; empty for none.
	Default string
}

// Tool describes an act for agents.
type Tool struct {
	Name, Title string
	// When is when to use it; empty for no advice.
	When string
	// Adds is set if a repeated call acts again.
	Adds bool
}

// Name returns the name of the act in the API, such as "retry-now".
func (r *Row) Name() string { return path.Base(r.Path) }

// At returns the path of the act for an instance or a schedule, encoded by segment.
func (r *Row) At(segment string) string {
	before, after, named := strings.Cut(r.Path, "{")
	if !named {
		return r.Path
	}
	_, after, _ = strings.Cut(after, "}")
	return before + segment + after
}

// About returns the row.
func (r *Row) About() *Row { return r }

// Act is a row with its types and its call.
type Act[In, Out any] struct {
	Row
	do func(ctx context.Context, on *On, in In) (Out, error)
}

// On is what an act works with.
type On struct {
	// Client acts on behalf of the requester.
	Client *client.Client
	// ID is the instance or the schedule of the path.
	ID string
	// CheckEvent returns the problems of an event according to the catalog of the code. It only reads.
	CheckEvent func(context.Context, *client.RaiseCheck, *api.Raise) (notes []string, wrong bool)
	// Token returns the token of an activity.
	Token func(context.Context, *api.PendingActivity) (string, error)
}

// Any is an act of any type.
type Any interface {
	About() *Row
	Takes() reflect.Type
	Returns() reflect.Type
	// Serve decodes a request and acts.
	Serve(ctx context.Context, on *On, decode func(into any) error) (any, error)
	// Do carries out a request of the act's type, and sets out, a pointer to its response.
	Do(ctx context.Context, on *On, in, out any) error
}

// Caller sends an act to the instances, through a client or the API of a console. in has the type that the act takes;
// out is a pointer to the type that it returns.
type Caller interface {
	Act(ctx context.Context, act Any, id string, in, out any) error
}

// Call sends the act for an instance or a schedule; id is empty for an act on something else. The error
// is [client.ErrNoRecord] (wrapped) if the request was sent for an instance that has no record yet.
func (a *Act[In, Out]) Call(ctx context.Context, c Caller, id string, in In) (Out, error) {
	var out Out
	err := c.Act(ctx, a, id, in, &out)
	if sent, is := any(out).(api.Sent); err == nil && is && sent.NoRecord {
		err = fmt.Errorf("%s for instance %q: %w", a.Name(), id, client.ErrNoRecord)
	}
	return out, err
}

// Takes implements [Any].
func (a *Act[In, Out]) Takes() reflect.Type { return reflect.TypeFor[In]() }

// Returns implements [Any].
func (a *Act[In, Out]) Returns() reflect.Type { return reflect.TypeFor[Out]() }

// Serve implements [Any].
func (a *Act[In, Out]) Serve(ctx context.Context, on *On, decode func(into any) error) (any, error) {
	var in In
	if err := decode(&in); err != nil {
		return nil, err
	}
	return a.do(ctx, on, in)
}

// Do implements [Any].
func (a *Act[In, Out]) Do(ctx context.Context, on *On, in, out any) (err error) {
	*out.(*Out), err = a.do(ctx, on, in.(In))
	return err
}

// sent returns the response that a request was sent for the instance.
func (on *On) sent(err error) (api.Sent, error) {
	if errors.Is(err, client.ErrNoRecord) {
		return api.Sent{Instance: on.ID, NoRecord: true}, nil
	}
	return api.Sent{Instance: on.ID}, err
}

// All returns the rows, in the order of lists.
func All() []Any {
	return []Any{
		Start, Raise, Update, Wake, Suspend, Resume, Reschedule, FireTimer, RetryNow, Cancel, Terminate, Redrive, Restart, Purge, MoveToFront,
		SetLimit, ResetLimit, PauseSchedule, ResumeSchedule, TriggerSchedule, BackfillSchedule, DeleteSchedule,
		Complete, Fail, Heartbeat,
	}
}

// Forms returns what the page needs for the forms of the acts on an instance.
func Forms() []api.Act {
	var all []api.Act
	for _, act := range All() {
		if r := act.About(); strings.HasPrefix(r.Path, ofInstance) {
			all = append(all, api.Act{Name: r.Name(), Title: r.Title, Does: r.Does, Sends: r.Sends, Of: r.Of, Needs: r.Needs, Destroys: r.Destroys, Many: r.Many, Reason: r.Reason})
		}
	}
	return all
}

// ofInstance is the path of an instance.
const ofInstance = "instances/{id}/"

// reasoned returns an act that takes only a reason.
func reasoned(r Row, do func(c *client.Client, ctx context.Context, instance, reason string) error) *Act[api.End, api.Sent] {
	r.Reason = true
	return &Act[api.End, api.Sent]{r, func(ctx context.Context, on *On, in api.End) (api.Sent, error) {
		return on.sent(do(on.Client, ctx, on.ID, in.Reason))
	}}
}

// bare returns an act that takes nothing.
func bare(r Row, do func(c *client.Client, ctx context.Context, instance string) error) *Act[api.Nothing, api.Sent] {
	return &Act[api.Nothing, api.Sent]{r, func(ctx context.Context, on *On, _ api.Nothing) (api.Sent, error) {
		return on.sent(do(on.Client, ctx, on.ID))
	}}
}
