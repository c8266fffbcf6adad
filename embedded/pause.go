package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/names"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/store"
)

// PauseQueue makes the attempts of an activity queue wait, including retries, until
// [Runtime.UnpauseQueue]. Running attempts continue. The queue is "default", or the name of a queue
// ([turnstile.Queue]). A [Database] keeps the pause with its actor (may be empty) and its time, so
// the queue is still paused after a restart. A message that has waited for 14 days becomes a dead
// letter (expired) when it is received.
//
// Errors: [client.ErrNotFound] for an unknown queue; the text lists the queues.
func (e *Runtime) PauseQueue(ctx context.Context, queue, actor string) error {
	return e.pauseQueue(ctx, queue, actor, true)
}

// UnpauseQueue lets a paused activity queue continue.
//
// It returns the errors of [Runtime.PauseQueue].
func (e *Runtime) UnpauseQueue(ctx context.Context, queue, actor string) error {
	return e.pauseQueue(ctx, queue, actor, false)
}

// queuePause is the stored pause of an activity queue, or its end.
type queuePause struct {
	Paused bool   `json:"paused"`
	By     string `json:"by,omitempty"`
	AtMS   int64  `json:"at_ms"`
}

// pauseKept is how long an unchanged pause is kept.
const pauseKept = 10 * 365 * 24 * time.Hour

// pauseKey is the key of the item of a queue. It contains a control character, which no instance id
// contains.
func pauseKey(queue string) store.ActivityKey {
	return store.ActivityKey{Instance: "paused\t" + queue}
}

// readPause reads the pause of a queue, and the version of its item.
func (e *Runtime) readPause(ctx context.Context, queue string) (p queuePause, version int, err error) {
	item, err := e.database.Activities().State(ctx, pauseKey(queue))
	if err == nil && item.Claim.Attempt > 0 {
		err = json.Unmarshal([]byte(item.Claim.Token), &p)
	}
	if err != nil {
		return p, 0, fmt.Errorf("embedded: cannot read whether queue %q is paused: %w", queue, err)
	}
	return p, item.Claim.Attempt, nil
}

func (e *Runtime) pauseQueue(ctx context.Context, name, actor string, paused bool) error {
	q := e.activityQueue(name)
	if q == nil {
		return fmt.Errorf("%w: the program has no activity queue %q; it has %s", client.ErrNotFound, name, strings.Join(e.queueNames(), ", "))
	}
	e.pausing.Lock()
	defer e.pausing.Unlock()
	p, version, err := e.readPause(ctx, name)
	if err != nil || p.Paused == paused {
		return err
	}
	now := e.clock.Now()
	text, err := json.Marshal(queuePause{paused, actor, now.UnixMilli()})
	if err == nil {
		err = e.database.Activities().Claim(ctx, pauseKey(name), store.Claim{Attempt: version + 1, Token: string(text)}, now.Add(pauseKept))
	}
	if err != nil {
		return fmt.Errorf("embedded: cannot pause or unpause queue %q: %w", name, err)
	}
	q.Pause(paused)
	if l := e.opts.logger; l != nil {
		l.InfoContext(ctx, "activity queue paused or unpaused", "queue", name, "paused", paused, "actor", actor)
	}
	return nil
}

// openPauses pauses the queues that were paused when an earlier process ended.
func (e *Runtime) openPauses(ctx context.Context) error {
	for _, name := range e.queueNames() {
		p, _, err := e.readPause(ctx, name)
		if err != nil {
			return err
		}
		e.activityQueue(name).Pause(p.Paused)
	}
	return nil
}

// activityQueue returns the activity queue with that name, or nil.
func (e *Runtime) activityQueue(name string) *memoryqueue.Queue {
	if name == names.DefaultQueue {
		return e.queues.Activity
	}
	return e.queues.Named[name]
}

// queueNames returns the names of the activity queues.
func (e *Runtime) queueNames() []string {
	return append([]string{names.DefaultQueue}, slices.Sorted(maps.Keys(e.queues.Named))...)
}
