package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// letter is a message in a final dead-letter queue.
type letter struct {
	queue.Message
	// queue is deadFIFOQueue or deadQueue.
	queue string
	// item that it holds; unread is why it can't be understood.
	item   wire.Item
	unread error
	// nameless: the item has the id that it goes by from its message.
	nameless bool
	// reason by which it was moved, and its text. Without, SQS moved it after
	// its last receive.
	reason wire.Reason
	text   string
}

func letterOf(from string, m queue.Message) *letter {
	l := &letter{Message: m, queue: from}
	l.item, l.unread = wire.Parse(wire.Unwrap([]byte(m.Body)))
	if l.unread == nil {
		l.nameless = l.item.Kind.CarriesID() && l.item.ID == ""
		l.item = l.item.WithID(l.firstID())
	}
	reason, text, _ := strings.Cut(m.Attributes[wire.ReasonAttribute], ":")
	l.reason = wire.Reason(strings.TrimSpace(reason))
	// A wire.ParseError begins with the reason once more.
	l.text = strings.TrimPrefix(strings.TrimSpace(text), "wire: "+reason+": ")
	return l
}

// firstID is the id of the message that it was before it was moved, as far as
// that is known: an item without an id of its own goes by it.
func (l *letter) firstID() string {
	if l.queue == deadFIFOQueue && l.DedupID != "" {
		return l.DedupID
	}
	return l.ID
}

// kind of the item, or a word for one that can't be read.
func (l *letter) kind() string {
	var parse *wire.ParseError
	switch {
	case l.unread == nil:
		return string(l.item.Kind)
	case errors.As(l.unread, &parse) && parse.Kind != "":
		return string(parse.Kind)
	}
	return "?"
}

// instance that it is for; of one that can't be read its message group, which
// is the instance where the sender kept to that.
func (l *letter) instance() string {
	if l.unread == nil {
		return l.item.Target()
	}
	return l.Group
}

// source is the queue that it goes back to. The dead-letter queue of the
// orchestrator queue has no other source. Into the other one comes what came by
// the delay queue, and attempts: whichever queue refused one, a worker makes it.
func (l *letter) source() string {
	switch {
	case l.queue == deadFIFOQueue:
		return orchestratorQueue
	case l.unread == nil && l.item.Kind == wire.ActivityExecute && l.reason != "":
		// The host moved it before anybody ran it: it was too old, or on a
		// wrong queue. On the other it would be given up as lost.
		return activityQueue
	case l.unread == nil && l.item.Kind == wire.ActivityExecute:
		return activityQueue
	}
	return delayQueue
}

// selection says which dead letters are meant; the zero value means all.
type selection struct {
	queue, reason, instance string
	ids                     []string
}

// noReason selects what SQS moved itself.
const noReason = "none"

func (s *selection) check() error {
	if s.queue != "" && s.queue != deadFIFOQueue && s.queue != deadQueue {
		return usagef("--queue %q: %s or %s", s.queue, deadFIFOQueue, deadQueue)
	}
	words := []string{noReason}
	for _, r := range wire.Reasons() {
		words = append(words, string(r))
	}
	if s.reason != "" && !slices.Contains(words, s.reason) {
		return usagef("--reason %q: one of %s", s.reason, strings.Join(words, ", "))
	}
	return nil
}

func (s *selection) has(l *letter) bool {
	reason := string(l.reason)
	if reason == "" {
		reason = noReason
	}
	return (s.reason == "" || s.reason == reason) && (s.instance == "" || s.instance == l.instance()) &&
		(len(s.ids) == 0 || slices.Contains(s.ids, l.ID))
}

// queues are those to look into.
func (s *selection) queues() []string {
	if s.queue != "" {
		return []string{s.queue}
	}
	return []string{deadFIFOQueue, deadQueue}
}

// verdict on a dead letter that was looked at.
type verdict struct {
	// gone: it was deleted.
	gone bool
	// last: no more need be looked at.
	last bool
}

// releaseTime is how long giving back what was looked at may take.
const releaseTime = 10 * time.Second

// look shows visit every dead letter of a queue once, as far as the queue lets
// them be seen: of one message group the first ten, and those behind them only
// when they are gone. What is kept is visible to others again at the end.
func (c *cli) look(ctx context.Context, q queue.Queue, name string, visit func(*letter) (verdict, error)) (err error) {
	held := map[string]queue.Message{}
	var order []string // of the ids, as they were received
	defer func() {
		// Ctrl-C must not leave them hidden.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
		defer cancel()
		for _, id := range order {
			m, kept := held[id]
			if !kept {
				continue
			}
			if e := q.SetVisibility(ctx, m, 0); e != nil && !errors.Is(e, queue.ErrReceiptExpired) && err == nil {
				err = fmt.Errorf("dead letter %s is hidden until its visibility timeout has passed: %w", m.ID, e)
			}
		}
	}()
	for {
		batch, err := q.Receive(ctx, queue.MaxReceive, c.poll)
		if err != nil {
			return err
		}
		var fresh []queue.Message
		for _, m := range batch {
			if _, seen := held[m.ID]; !seen {
				fresh, order = append(fresh, m), append(order, m.ID)
			}
			// The newest receipt is the one that counts.
			held[m.ID] = m
		}
		if len(fresh) == 0 {
			return nil
		}
		for _, m := range fresh {
			what, err := visit(letterOf(name, m))
			if what.gone {
				delete(held, m.ID)
			}
			if err != nil || what.last {
				return err
			}
		}
	}
}
