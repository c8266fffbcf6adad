package main

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

// letters are dead letters as commands use them: those of queues, or of a console.
type letters interface {
	// Peek returns the dead letters selected, at most limit of each queue. whole asks
	// for attributes and bodies too.
	Peek(ctx context.Context, s *deadletter.Selection, limit int, whole bool) (api.DeadLetters, error)
	// Remove redrives or deletes dead letters, and calls each for every one that it
	// dealt with. The error is that of the looking.
	Remove(ctx context.Context, r *deadletter.Removal, each func(*api.RemovedDeadLetter)) (api.RemovedDeadLetters, error)
}

// ofQueues are dead letters of queues that this process reads itself.
type ofQueues struct {
	queues deadletter.Queues
	codecs func() (*codec.Set, error)
	wait   time.Duration
	now    func() time.Time
}

func (q ofQueues) Peek(ctx context.Context, s *deadletter.Selection, limit int, whole bool) (api.DeadLetters, error) {
	found, more, err := q.queues.Select(ctx, s, limit, q.wait)
	out := api.DeadLetters{Letters: make([]api.DeadLetter, len(found)), More: more}
	for i, l := range found {
		out.Letters[i] = api.DeadLetterOf(l)
		if whole && err == nil {
			err = q.open(l, &out.Letters[i])
		}
	}
	return out, err
}

func (q ofQueues) open(l *deadletter.Letter, out *api.DeadLetter) error {
	codecs, err := q.codecs()
	if err != nil {
		return err
	}
	opened, sealed, err := l.Opened(codecs)
	if err != nil {
		return err
	}
	out.Attributes, out.Body, out.Opened, out.Advice = l.Attributes, l.Body, opened, deadletter.Advice(l.Reason)
	if sealed != nil {
		out.Sealed = message(sealed)
	}
	if l.Unread != nil {
		out.Unread = l.Unread.Error()
	}
	return nil
}

func (q ofQueues) Remove(ctx context.Context, r *deadletter.Removal, each func(*api.RemovedDeadLetter)) (api.RemovedDeadLetters, error) {
	r.Wait = q.wait
	out := api.RemovedDeadLetters{DryRun: r.DryRun}
	done, err := q.queues.RemoveAll(ctx, r, q.now, func(is *deadletter.Removed) {
		one := api.RemovedDeadLetterOf(is)
		out.Done = append(out.Done, one)
		each(&one)
	})
	out.Late, out.Missing = done.Late, done.Missing
	return out, err
}

// ofConsoleLetters are those of a console, which hides tokens in bodies.
type ofConsoleLetters struct{ *remote.Client }

func (c ofConsoleLetters) Peek(ctx context.Context, s *deadletter.Selection, limit int, whole bool) (api.DeadLetters, error) {
	out, err := c.DeadLetters(ctx, api.PeekDeadLetters{SelectDeadLetters: selected(s), Limit: limit})
	if !whole {
		for i := range out.Letters {
			l := &out.Letters[i]
			l.Attributes, l.Body, l.Opened, l.Sealed, l.Unread, l.Folded, l.Advice = nil, "", "", "", "", nil, ""
		}
	}
	return out, err
}

func (c ofConsoleLetters) Remove(ctx context.Context, r *deadletter.Removal, each func(*api.RemovedDeadLetter)) (api.RemovedDeadLetters, error) {
	out, err := c.RemoveDeadLetters(ctx, r.Delete, api.RemoveDeadLetters{
		SelectDeadLetters: selected(&r.Selection), All: len(r.IDs) == 0, To: r.To, DryRun: r.DryRun,
	})
	for i := range out.Done {
		each(&out.Done[i])
	}
	return out, err
}

func selected(s *deadletter.Selection) api.SelectDeadLetters {
	return api.SelectDeadLetters{Queue: s.Queue, Reason: s.Reason, Instance: s.Instance, MessageIDs: s.IDs}
}
