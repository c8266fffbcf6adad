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

// PauseQueue has the attempts of an activity queue wait, those of retries too, until
// [Runtime.UnpauseQueue]; what is under way ends. The queue is "default", or the name of one
// ([turnstile.Queue]). A Database keeps the pause, who asked for it (the actor, may be empty) and
// when: it holds after a restart. A message that has waited for 14 days becomes a dead letter (expired) then.
//
// Errors: [client.ErrNotFound], in a text that names the queues.
func (e *Runtime) PauseQueue(ctx context.Context, queue, actor string) error {
	return e.pauseQueue(ctx, queue, actor, true)
}

// UnpauseQueue lets a paused activity queue go on.
//
// Errors: as of PauseQueue.
func (e *Runtime) UnpauseQueue(ctx context.Context, queue, actor string) error {
	return e.pauseQueue(ctx, queue, actor, false)
}

// queuePause is a pause of an activity queue, or the end of one.
type queuePause struct {
	Paused bool   `json:"paused"`
	By     string `json:"by,omitempty"`
	AtMS   int64  `json:"at_ms"`
}

// pauseKept is for how long a pause is kept that nobody changes.
const pauseKept = 10 * 365 * 24 * time.Hour

// pauseKey is the key of the item of a queue. A control character is in no instance id.
func pauseKey(queue string) store.ActivityKey {
	return store.ActivityKey{Instance: "paused\t" + queue}
}

// readPause reads how a queue stands, and the version of its item.
func (e *Runtime) readPause(ctx context.Context, queue string) (p queuePause, version int, err error) {
	item, err := e.database.Activities().State(ctx, pauseKey(queue))
	if err == nil && item.Claim.Attempt > 0 {
		err = json.Unmarshal([]byte(item.Claim.Token), &p)
	}
	if err != nil {
		return p, 0, fmt.Errorf("embedded: whether queue %q is paused: %w", queue, err)
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
		return fmt.Errorf("embedded: queue %q stays as it is: %w", name, err)
	}
	q.Pause(paused)
	if l := e.opts.logger; l != nil {
		l.InfoContext(ctx, "activity queue paused, or not any more", "queue", name, "paused", paused, "actor", actor)
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

// activityQueue is the activity queue of a name, or nil.
func (e *Runtime) activityQueue(name string) *memoryqueue.Queue {
	if name == names.DefaultQueue {
		return e.queues.Activity
	}
	return e.queues.Named[name]
}

// queueNames are those of the activity queues.
func (e *Runtime) queueNames() []string {
	return append([]string{names.DefaultQueue}, slices.Sorted(maps.Keys(e.queues.Named))...)
}
