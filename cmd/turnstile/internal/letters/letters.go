// Package letters reads, redrives and deletes dead letters, directly in their queues or over the API of
// a console.
package letters

import (
	"context"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// Letters gives commands access to dead letters.
type Letters interface {
	// Peek returns the selected dead letters, at most limit of each queue. With whole it also
	// returns attributes and bodies.
	Peek(ctx context.Context, s *deadletter.Selection, limit int, whole bool) (api.DeadLetters, error)
	// Remove redrives or deletes dead letters, and calls each for every processed one. Its error
	// reports only a failure to read the queues.
	Remove(ctx context.Context, r *deadletter.Removal, each func(*api.RemovedDeadLetter)) (api.RemovedDeadLetters, error)
}

// OfQueues reads dead letters from their queues.
type OfQueues struct {
	Queues deadletter.Queues
	Codecs func() (*codec.Set, error)
	Wait   time.Duration
	Now    func() time.Time
}

func (q OfQueues) Peek(ctx context.Context, s *deadletter.Selection, limit int, whole bool) (api.DeadLetters, error) {
	found, more, err := q.Queues.Select(ctx, s, limit, q.Wait)
	out := api.DeadLetters{Letters: make([]api.DeadLetter, len(found)), More: more}
	for i, l := range found {
		out.Letters[i] = api.DeadLetterOf(l)
		if whole && err == nil {
			err = q.open(l, &out.Letters[i])
		}
	}
	return out, err
}

func (q OfQueues) open(l *deadletter.Letter, out *api.DeadLetter) error {
	codecs, err := q.Codecs()
	if err != nil {
		return err
	}
	opened, encoded, err := l.Opened(codecs)
	if err != nil {
		return err
	}
	out.Attributes, out.Body, out.Opened, out.Advice = l.Attributes, l.Body, opened, deadletter.Advice(l.Reason)
	if encoded != nil {
		out.DecodeError = printable.Lines(strings.TrimPrefix(encoded.Error(), "turnstile: "))
	}
	if l.Unread != nil {
		out.Unread = l.Unread.Error()
	}
	return nil
}

func (q OfQueues) Remove(ctx context.Context, r *deadletter.Removal, each func(*api.RemovedDeadLetter)) (api.RemovedDeadLetters, error) {
	r.Wait = q.Wait
	out := api.RemovedDeadLetters{DryRun: r.DryRun}
	done, err := q.Queues.RemoveAll(ctx, r, q.Now, func(is *deadletter.Removed) {
		one := api.RemovedDeadLetterOf(is)
		out.Done = append(out.Done, one)
		each(&one)
	})
	out.Late, out.Missing = done.Late, done.Missing
	return out, err
}

// OfConsole reads dead letters from a console, which hides tokens in bodies.
type OfConsole struct{ *remote.Client }

func (c OfConsole) Peek(ctx context.Context, s *deadletter.Selection, limit int, whole bool) (api.DeadLetters, error) {
	out, err := c.DeadLetters(ctx, api.PeekDeadLetters{Selection: *s, Limit: limit})
	if !whole {
		for i := range out.Letters {
			l := &out.Letters[i]
			l.Attributes, l.Body, l.Opened, l.DecodeError, l.Unread, l.Folded, l.Advice = nil, "", "", "", "", nil, ""
		}
	}
	return out, err
}

func (c OfConsole) Remove(ctx context.Context, r *deadletter.Removal, each func(*api.RemovedDeadLetter)) (api.RemovedDeadLetters, error) {
	out, err := c.RemoveDeadLetters(ctx, r.Delete, api.RemoveDeadLetters{
		Selection: r.Selection, All: len(r.IDs) == 0, To: r.To, DryRun: r.DryRun,
	})
	for i := range out.Done {
		each(&out.Done[i])
	}
	return out, err
}
