package console

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
)

const (
	// shownExecutions is how many of the newest executions are shown by default.
	shownExecutions = 10
	// maxExecutions is how many executions may be requested.
	maxExecutions = 100
	// maxStates is how many open activities have their state read from the activities table.
	maxStates = 50
)

func (h *handler) timeline(r *request) (api.Timeline, error) {
	ctx := r.Context()
	executions, err := r.number("executions", maxExecutions, shownExecutions)
	if err != nil {
		return api.Timeline{}, err
	}
	since, err := positionOf("since", r.query.Get("since"))
	if err != nil {
		return api.Timeline{}, err
	}
	past := r.query.Get("at")
	if past != "" && since != (position{}) {
		return api.Timeline{}, api.Errorf(api.CodeInvalid, "give at or since, not both: a past state does not change")
	}
	d, err := h.client.Describe(ctx, r.vars["id"])
	if err != nil {
		return api.Timeline{}, err
	}
	at, err := h.past(&d, past)
	if err != nil {
		return api.Timeline{}, err
	}
	newest := d.ExecutionID
	if past != "" {
		newest = at.execution
	}
	kept := slices.DeleteFunc(slices.Collect(d.Executions()), func(n int64) bool { return n > newest })
	if len(kept) == 0 {
		return api.Timeline{}, api.Errorf(api.CodeNotFound, "%s", api.NoHistory(&d, newest))
	}
	earlier := max(len(kept)-executions, 0)
	var sources []timeline.Source
	for _, n := range kept[earlier:] {
		turns, err := h.turns.read(ctx, &d, n)
		if err != nil {
			return api.Timeline{}, err
		}
		sources = append(sources, timeline.FromTurns(n, turns))
	}
	now := h.now().UTC()
	if past != "" {
		last := &sources[len(sources)-1]
		*last = last.Until(at.event)
		now = last.End()
	}
	t := timeline.New(d.Instance, sources...)
	if past == "" {
		h.annotate(ctx, &d, t)
	}
	t.Group(sources)
	out := api.TimelineOf(t, now)
	bill := timeline.Count(t, sources)
	if earlier > 0 {
		out.Earlier, out.FirstExecution = earlier, d.FirstExecution
		bill.LeftOut = append(bill.LeftOut, fmt.Sprintf("The %d executions before execution %d, which are not shown.", earlier, kept[earlier]))
	}
	bill.Hypothetical, out.Bill = h.place.OneMachine(), &bill
	if since != (position{}) {
		onlySince(&out, t, since)
	}
	return out, nil
}

// annotate adds the stored state of open activities, which is not in the history. If the state
// cannot be read, it adds nothing.
func (h *handler) annotate(ctx context.Context, d *client.Description, t *timeline.Timeline) {
	if d.Status.Terminal() {
		return
	}
	states := map[int64]store.ActivityState{}
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Kind != timeline.KindActivity || r.ExecutionID != d.ExecutionID || !r.EndedAt.IsZero() || len(states) == maxStates {
			continue
		}
		state, err := h.client.ActivityState(ctx, store.ActivityKey{Instance: d.Instance, ExecutionID: r.ExecutionID, EventID: r.EventID})
		if err != nil {
			return // The rows show that it is not known.
		}
		states[r.EventID] = state
	}
	t.Annotate(d.ExecutionID, states, h.now())
	t.AddSeen(d.ExecutionID, h.seen(d.Instance, d.ExecutionID))
}

// position is an event of an execution.
type position struct{ execution, event int64 }

func (p position) String() string { return fmt.Sprintf("%d.%d", p.execution, p.event) }

// before reports whether an event comes after the position.
func (p position) before(execution, event int64) bool {
	return execution > p.execution || execution == p.execution && event > p.event
}

// past parses the position of an event, in the current execution if the text gives none.
func (h *handler) past(d *client.Description, text string) (position, error) {
	if text == "" {
		return position{}, nil
	}
	if !strings.Contains(text, ".") {
		text = strconv.FormatInt(d.ExecutionID, 10) + "." + text
	}
	at, err := positionOf("at", text)
	switch {
	case err != nil:
		return at, err
	case at.event < 1:
		return at, api.Errorf(api.CodeInvalid, "at is %q: the first event is 1", clip(text, 50))
	case !slices.Contains(slices.Collect(d.Executions()), at.execution):
		return at, api.Errorf(api.CodeNotFound, "%s", api.NoHistory(d, at.execution))
	}
	return at, nil
}

func positionOf(name, text string) (position, error) {
	if text == "" {
		return position{}, nil
	}
	x, e, _ := strings.Cut(text, ".")
	execution, err1 := strconv.ParseInt(x, 10, 64)
	event, err2 := strconv.ParseInt(e, 10, 64)
	if errors.Join(err1, err2) != nil || execution < 1 || event < 0 || event > math.MaxInt32 {
		return position{}, api.Errorf(api.CodeInvalid, "%s is %q: it must be an execution, a dot and an event, such as 1.17", name, clip(text, 50))
	}
	return position{execution, event}, nil
}

// onlySince keeps only what has changed after a position.
func onlySince(out *api.Timeline, t *timeline.Timeline, since position) {
	last := map[int64]int64{} // the last event of each execution that has ended
	for i := range t.Ticks {
		last[t.Ticks[i].ExecutionID] = t.Ticks[i].Last
	}
	type group struct{ execution, event int64 }
	formed := map[group]int64{}
	for i := range t.Groups {
		formed[group{t.Groups[i].ExecutionID, t.Groups[i].EventID}] = t.Groups[i].Formed
	}
	rows := out.Rows[:0]
	for i := range out.Rows {
		r := &out.Rows[i]
		changed := r.EventID
		if r.EndedAt.IsZero() {
			changed = math.MaxInt64
		} else if r.State == timeline.StateClosed || r.State == timeline.StateCancelled {
			changed = last[r.ExecutionID]
		}
		if since.before(r.ExecutionID, max(changed, r.CompletedBy, r.CancelledBy, formed[group{r.ExecutionID, r.Group}])) {
			rows = append(rows, *r)
		}
	}
	ticks := out.Ticks[:0]
	for _, k := range out.Ticks {
		if since.before(k.ExecutionID, k.Last) {
			ticks = append(ticks, k)
		}
	}
	out.Rows, out.Ticks, out.Since = rows, ticks, since.String()
}

// reading is a timeline.Reader over the client, for one request.
type reading struct {
	h    *handler
	seen map[string]client.Description
}

// Record implements timeline.Reader.
func (r reading) Record(ctx context.Context, instance string) (timeline.Standing, error) {
	d, err := r.h.client.Describe(ctx, instance)
	if errors.Is(err, client.ErrNotFound) {
		return timeline.Standing{}, fmt.Errorf("%w: %w", store.ErrNotFound, err)
	}
	r.seen[instance] = d
	return timeline.Standing{Instance: d.Instance, Name: d.Name, Version: d.Version, Status: d.Status, ExecutionID: d.ExecutionID,
		CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt, Problem: d.Problem}, err
}

// Turns implements timeline.Reader.
func (r reading) Turns(ctx context.Context, instance string, execution int64) ([]store.Turn, error) {
	d := r.seen[instance]
	return r.h.turns.read(ctx, &d, execution)
}

// Activity implements timeline.Reader.
func (r reading) Activity(ctx context.Context, key store.ActivityKey) (store.ActivityState, error) {
	s, err := r.h.client.ActivityState(ctx, key)
	if errors.Is(err, client.ErrNoActivities) {
		err = timeline.ErrNotKept
	}
	return s, err
}
