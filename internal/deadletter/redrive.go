package deadletter

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Remove sends a dead letter on, if it is to go anywhere, and deletes it
// after that: whatever fails in between, it is in one of the two queues.
//
// to is the queue that it goes to, empty to delete it only.
func (all Queues) Remove(ctx context.Context, l *Letter, to string, now time.Time) error {
	if to != "" {
		out, err := redriven(l, all[to].FIFO(), now)
		if err != nil {
			return err
		}
		if err := all[to].Send(ctx, out); err != nil {
			return fmt.Errorf("sending it to %s: %w", to, err)
		}
	}
	if err := all[l.Queue].Delete(ctx, l.Message); err != nil {
		if to != "" {
			err = fmt.Errorf("it was sent to %s, but not deleted here: %w", to, err)
		}
		return err
	}
	return nil
}

// redriven is the message by which a dead letter goes back. The mark lets its
// handler treat it as one that comes again: its turn may have been committed
// and never dispatched. Its deduplication id is that of the hop, since SQS
// still remembers that of the first message.
func redriven(l *Letter, fifo bool, now time.Time) (queue.Outgoing, error) {
	out := queue.Outgoing{Body: l.Body, Attributes: maps.Clone(l.Attributes)}
	if aged := l.Unread == nil && l.Item.Age(now) > wire.MaxAge/2; aged || l.nameless {
		if aged {
			// It would come back as one that is too old, now or before long. Who
			// redrives it wants it: from here on it is new.
			l.Item.SentMS, l.Item.NotBeforeMS = now.UnixMilli(), 0
		}
		body, err := l.Item.Encode()
		if err != nil {
			return out, fmt.Errorf("writing its id and time into its body: %w", err)
		}
		out.Body = string(body)
	}
	if out.Attributes == nil {
		out.Attributes = map[string]string{}
	}
	if why := out.Attributes[wire.ReasonAttribute]; strings.HasPrefix(why, string(wire.ReasonSender)+":") {
		return out, fmt.Errorf("its sender may not send it, and a redrive would send it in your name (%s): find the sender; to apply it all the same, send it as a new message", why)
	}
	delete(out.Attributes, wire.ReasonAttribute)
	delete(out.Attributes, wire.RedriveAttribute)
	own := map[string]string{wire.RedriveAttribute: "dead-letter"}
	if senders := wire.SentBy(out.Attributes, l.Sender); senders != "" {
		// What SQS gave up itself was perhaps never looked at.
		own[wire.SenderAttribute] = senders
		delete(out.Attributes, wire.SenderAttribute)
	}
	names := slices.Sorted(maps.Keys(out.Attributes))
	for len(names)+len(own) > queue.MaxAttributes {
		delete(out.Attributes, names[len(names)-1])
		names = names[:len(names)-1]
	}
	maps.Copy(out.Attributes, own)
	if fifo {
		fact := ""
		if l.Unread == nil {
			fact = wire.DedupID(&l.Item)
		}
		out.DedupID = wire.HopDedupID(fact, l.ID)
		switch {
		case l.Group != "":
			out.Group = l.Group
		case l.Unread == nil:
			out.Group = wire.Group(l.Item.Target())
		default:
			return out, fmt.Errorf("a FIFO queue needs the instance that it is for, and it cannot be read: %w", l.Unread)
		}
	}
	return out, nil
}
