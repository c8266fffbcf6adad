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

// Remove sends a dead letter to the queue to, and then deletes it. If it fails in between, the message is in at least
// one of the two queues.
//
// With an empty to it only deletes the message.
func (all Queues) Remove(ctx context.Context, l *Letter, to string, now time.Time) error {
	if to != "" {
		out, err := redriven(l, all[to].FIFO(), now)
		if err != nil {
			return err
		}
		if err := all[to].Send(ctx, out); err != nil {
			return fmt.Errorf("could not send the message to %s: %w", to, err)
		}
	}
	if err := all[l.Queue].Delete(ctx, l.Message); err != nil {
		if to != "" {
			err = fmt.Errorf("the message was sent to %s, but could not be deleted here: %w", to, err)
		}
		return err
	}
	return nil
}

// redriven returns the message that replaces a dead letter. Its redrive attribute makes the handler treat it as
// redelivered, because its turn may have been committed without being dispatched. Its deduplication id differs from that
// of the first message, which SQS still remembers.
func redriven(l *Letter, fifo bool, now time.Time) (queue.Outgoing, error) {
	out := queue.Outgoing{Body: l.Body, Attributes: maps.Clone(l.Attributes)}
	if aged := l.Unread == nil && l.Item.Age(now) > wire.MaxAge/2; aged || l.nameless {
		if aged {
			// The message is, or will soon be, too old for its handler. Its redrive is deliberate, so its age starts
			// again.
			l.Item.SentMS, l.Item.NotBeforeMS = now.UnixMilli(), 0
		}
		body, err := l.Item.Encode()
		if err != nil {
			return out, fmt.Errorf("could not encode the message body: %w", err)
		}
		out.Body = string(body)
	}
	if out.Attributes == nil {
		out.Attributes = map[string]string{}
	}
	if why := out.Attributes[wire.ReasonAttribute]; strings.HasPrefix(why, string(wire.ReasonSender)+":") {
		return out, fmt.Errorf("the sender was not permitted to send this message, and a redrive would send it in your name (%s): find the sender; to apply it anyway, send it as a new message", why)
	}
	delete(out.Attributes, wire.ReasonAttribute)
	delete(out.Attributes, wire.RedriveAttribute)
	own := map[string]string{wire.RedriveAttribute: "dead-letter"}
	if senders := wire.SentBy(out.Attributes, l.Sender); senders != "" {
		// The handler may never have checked the sender of a message that SQS moved itself.
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
			return out, fmt.Errorf("a FIFO queue requires the instance as message group, but the message could not be parsed: %w", l.Unread)
		}
	}
	return out, nil
}
