package timeline

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// Reader is what PendingOperations reads from.
type Reader interface {
	// Record returns the record of an instance: store.ErrNotFound (wrapped) if it has none.
	Record(ctx context.Context, instance string) (Standing, error)
	// Turns returns the committed turns of an execution.
	Turns(ctx context.Context, instance string, execution int64) ([]store.Turn, error)
	// Activity returns what is known of an activity outside its history, or ErrNotKept if that cannot be read here.
	Activity(ctx context.Context, key store.ActivityKey) (store.ActivityState, error)
}

// ErrNotKept says that the activities table cannot be read here.
var ErrNotKept = errors.New("timeline: the activities table cannot be read here")

// Standing is the state of an instance.
type Standing struct {
	Instance    string         `json:"instance"`
	Name        string         `json:"name"`
	Version     string         `json:"version,omitempty"`
	Status      store.Status   `json:"status"`
	ExecutionID int64          `json:"-"`
	CreatedAt   time.Time      `json:"-"`
	UpdatedAt   time.Time      `json:"-"`
	Problem     *store.Problem `json:"problem,omitempty"`
}

// Waiting is what an instance waits for.
type Waiting struct {
	Standing
	// Operations are open, in the order in which they were scheduled.
	Operations []Operation
	// More counts the open operations that Operations leaves out.
	More int
}

// Operation is an operation that an instance waits for.
type Operation struct {
	Row
	// Child is the state of a child's instance and what it waits for. It is nil, with NotRead empty, if the child has no record yet.
	Child *Waiting
	// NotRead says why a child, or the activities table, was not read: the limit of reads, or an error.
	NotRead string
}

// Default limits of PendingOperations.
const (
	// DefaultReads is the limit of requests.
	DefaultReads = 200
	// DefaultOperations is the limit of operations returned for one instance.
	DefaultOperations = 100
)

// waitingReader counts reads.
type waitingReader struct {
	Reader
	left       int
	operations int
	now        time.Time
}

// notRead is the text for the limit of reads.
const notRead = "not read: the limit of reads was reached"

// PendingOperations returns what an instance waits for, down to the leaf operations: children of children, and what is known of their
// activities. It makes at most `reads` requests (0: DefaultReads), breadth-first, so that it reads the nearest instances first; operations
// that it did not read say so. now is the current time.
//
// An instance that has ended, or does not exist, waits for nothing. Errors of children are stored in their operations; errors of the
// instance itself are returned.
func PendingOperations(ctx context.Context, r Reader, instance string, reads int, now time.Time) (*Waiting, error) {
	if reads <= 0 {
		reads = DefaultReads
	}
	w := &waitingReader{Reader: r, left: reads, operations: DefaultOperations, now: now}
	root, err := w.instance(ctx, instance)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{instance: true}
	for level := []*Waiting{root}; len(level) > 0; {
		var next []*Waiting
		for _, parent := range level {
			for i := range parent.Operations {
				o := &parent.Operations[i]
				if o.Kind != KindChild || o.State != StateOpen {
					continue
				}
				if o.NotRead = w.child(ctx, o, seen); o.Child != nil {
					next = append(next, o.Child)
				}
			}
		}
		level = next
	}
	return root, nil
}

// child reads the instance of an operation, or returns why it did not.
func (w *waitingReader) child(ctx context.Context, o *Operation, seen map[string]bool) string {
	if seen[o.Instance] {
		return "shown above"
	}
	if w.left <= 0 {
		return notRead
	}
	seen[o.Instance] = true
	found, err := w.instance(ctx, o.Instance)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return ""
	case err != nil:
		return err.Error()
	}
	o.Child = found
	return ""
}

// instance reads one instance: its record, its history if it runs, and what is known of its activities. If the limit of reads is reached,
// the operations say so.
func (w *waitingReader) instance(ctx context.Context, instance string) (*Waiting, error) {
	w.left--
	standing, err := w.Record(ctx, instance)
	if err != nil {
		return nil, err
	}
	out := &Waiting{Standing: standing}
	if standing.Status.Terminal() || standing.Status == store.StatusCorrupt {
		return out, nil
	}
	w.left--
	turns, err := w.Turns(ctx, instance, standing.ExecutionID)
	if err != nil {
		return nil, err
	}
	t := New(instance, FromTurns(standing.ExecutionID, turns))
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.State != StateOpen || r.Kind == KindUpdate && r.Instance == "" {
			continue // The caller of an update waits, not the instance.
		}
		if len(out.Operations) == w.operations {
			out.More++
			continue
		}
		out.Operations = append(out.Operations, Operation{Row: *r})
	}
	for i := range out.Operations {
		w.activity(ctx, instance, &out.Operations[i])
	}
	return out, nil
}

// activity adds what is known of an activity outside its history.
func (w *waitingReader) activity(ctx context.Context, instance string, o *Operation) {
	if o.Kind != KindActivity {
		return
	}
	if w.left <= 0 {
		o.NotRead = notRead
		return
	}
	w.left--
	state, err := w.Activity(ctx, store.ActivityKey{Instance: instance, ExecutionID: o.ExecutionID, EventID: o.EventID})
	if err != nil {
		o.NotRead = err.Error()
		return
	}
	if l := liveOf(&state); l != nil {
		o.annotate(l, w.now)
	}
}

// Leaf is the end of a path: an operation that an instance ultimately waits for, with the operations above it.
type Leaf struct {
	// Path lists the operations from the one of the instance itself down to the leaf.
	Path []*Operation
	// In is the instance that waits for the last of them.
	In *Waiting
}

// Operation returns the last of the path; nil if an instance runs and waits for nothing.
func (l *Leaf) Operation() *Operation {
	if len(l.Path) == 0 {
		return nil
	}
	return l.Path[len(l.Path)-1]
}

// Leaves returns the ends of all paths, in order, at most `limit`. For a child these are the leaves of the child; a child that is stuck,
// has ended, has no record yet or was not read is itself a leaf.
func (w *Waiting) Leaves(limit int) []Leaf {
	var all []Leaf
	w.leaves(nil, limit, &all)
	return all
}

func (w *Waiting) leaves(path []*Operation, limit int, all *[]Leaf) {
	for i := range w.Operations {
		if len(*all) >= limit {
			return
		}
		o := &w.Operations[i]
		down := append(path[:len(path):len(path)], o)
		if c := o.Child; c != nil && c.Problem == nil && len(c.Operations) > 0 {
			c.leaves(down, limit, all)
			continue
		}
		*all = append(*all, Leaf{Path: down, In: w})
	}
}

// Text describes in one line what an operation waits for. It contains no relative times: the caller shows how far away NextAt is.
func (o *Operation) Text() string {
	if o.Label != "" {
		return o.Label + ", " + o.unlabelledText()
	}
	return o.unlabelledText()
}

func (o *Operation) unlabelledText() string {
	switch o.Kind {
	case KindActivity, KindInline:
		return o.activityText()
	case KindTimer:
		return "timer"
	case KindWait:
		return "event " + o.Name
	case KindUpdate:
		return "answer of update " + o.Name
	case KindChild:
		return "child " + o.Name
	}
	return o.Name
}

func (o *Operation) activityText() string {
	text := "activity " + o.Name
	if o.Kind == KindInline {
		text = "inline activity " + o.Name
	}
	return text + ", " + o.AttemptText()
}

// NextAt is when the next thing is due: a timer fires, or an attempt follows. Zero if it is not known.
func (o *Operation) NextAt() time.Time {
	switch {
	case o.Kind == KindTimer:
		return o.DueAt
	case o.Live != nil && len(o.Spans) > 0 && o.Spans[len(o.Spans)-1].Doing == DoingRetry:
		return o.Live.Retry.DueAt
	}
	return time.Time{}
}
