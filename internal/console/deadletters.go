package console

import (
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

const (
	defaultLetters = 50
	maxLetters     = 100
)

// deadLetters handles the requests for dead letters, one at a time, because a request that reads
// them hides them from others.
type deadLetters struct {
	queues deadletter.Queues
	wait   time.Duration
	free   chan struct{}
}

// WithDeadLetters makes the console show dead letters and, if actions are allowed, redrive and
// delete them. wait is how long each receive waits for a message: 0 for queues in memory, and a few
// seconds for SQS, which otherwise does not query all its servers.
func WithDeadLetters(queues deadletter.Queues, wait time.Duration) Option {
	return option(func(o *options) {
		o.dead = &deadLetters{queues: queues, wait: wait, free: make(chan struct{}, 1)}
	})
}

// start waits for earlier requests; end lets the next one continue.
func (d *deadLetters) start(ctx context.Context) (end func(), err error) {
	if d == nil {
		return nil, api.Errorf(api.CodeNotOffered, "this console has no access to dead-letter queues: give it console.WithDeadLetters")
	}
	select {
	case d.free <- struct{}{}:
		return func() { <-d.free }, nil
	case <-ctx.Done():
		return nil, api.Errorf(api.CodeBusy, "another request is reading the dead-letter queues: try again")
	}
}

// invalidSelection turns the error of a selection into an error of the request.
func invalidSelection(err error) error {
	var invalid *deadletter.InvalidError
	if errors.As(err, &invalid) {
		return api.Errorf(api.CodeInvalid, "%s", invalid.Error())
	}
	return err
}

func (h *handler) peekDeadLetters(r *request, in api.PeekDeadLetters) (api.DeadLetters, error) {
	out := api.DeadLetters{Letters: []api.DeadLetter{}}
	limit := in.Limit
	if limit == 0 {
		limit = defaultLetters
	}
	if limit < 1 || limit > maxLetters || len(in.IDs) > maxLetters {
		return out, api.Errorf(api.CodeInvalid, "limit is %d and message_ids has %d ids: at most %d of each are allowed", limit, len(in.IDs), maxLetters)
	}
	if err := in.Check(); err != nil {
		return out, invalidSelection(err)
	}
	end, err := h.dead.start(r.Context())
	if err != nil {
		return out, err
	}
	defer end()
	letters, more, err := h.dead.queues.Select(r.Context(), &in.Selection, limit, h.dead.wait)
	if err != nil {
		return out, err
	}
	for _, l := range letters {
		shown := api.DeadLetterOf(l)
		h.showBody(l, &shown, len(in.IDs) > 0)
		out.Letters = append(out.Letters, shown)
	}
	out.More = more
	return out, nil
}

// showBody adds the fields that are shown for a single dead letter.
func (h *handler) showBody(l *deadletter.Letter, shown *api.DeadLetter, whole bool) {
	shown.Advice, shown.Attributes = deadletter.Advice(l.Reason), l.Attributes
	if l.Unread != nil {
		shown.Unread = l.Unread.Error()
	}
	if len(l.Body) > api.FoldOver && !whole {
		shown.Folded = []string{"body"}
		return
	}
	shown.Body = withoutTokens(l.Body)
	opened, encoded, err := l.Opened(h.client.Codecs())
	if encoded = errors.Join(encoded, err); encoded != nil {
		shown.DecodeError = encoded.Error()
	}
	shown.Opened = withoutTokens(opened)
}

// tokenInBody matches a token in the JSON of a work item, also if that is inside the JSON of
// another message.
var tokenInBody = regexp.MustCompile(`(\\?"(?:activity_)?token\\?"\s*:\s*\\?")[^"\\]*`)

// withoutTokens hides tokens, because a reader of a token could complete its operation.
func withoutTokens(body string) string {
	return tokenInBody.ReplaceAllString(body, "${1}(not shown)")
}

func (h *handler) redriveDeadLetters(r *request, in api.RemoveDeadLetters) (api.RemovedDeadLetters, error) {
	return h.removeDeadLetters(r, &in, false)
}

func (h *handler) deleteDeadLetters(r *request, in api.RemoveDeadLetters) (api.RemovedDeadLetters, error) {
	if in.To != "" {
		return api.RemovedDeadLetters{}, api.Errorf(api.CodeInvalid, "to is set, but deleted messages have no target: leave it out")
	}
	return h.removeDeadLetters(r, &in, true)
}

func (h *handler) removeDeadLetters(r *request, in *api.RemoveDeadLetters, remove bool) (api.RemovedDeadLetters, error) {
	out := api.RemovedDeadLetters{Done: []api.RemovedDeadLetter{}, DryRun: in.DryRun}
	switch {
	case in.All == (len(in.IDs) > 0):
		return out, api.Errorf(api.CodeInvalid, "give message_ids, or set all")
	case !in.All && (in.Reason != "" || in.Instance != ""):
		return out, api.Errorf(api.CodeInvalid, "reason and instance require all")
	}
	end, err := h.dead.start(r.Context())
	if err != nil {
		return out, err
	}
	defer end()
	done, err := h.dead.queues.RemoveAll(r.Context(), &deadletter.Removal{
		Selection: in.Selection, To: in.To, Delete: remove, DryRun: in.DryRun, Wait: h.dead.wait,
	}, h.now, nil)
	for i := range done.Done {
		out.Done = append(out.Done, api.RemovedDeadLetterOf(&done.Done[i]))
	}
	out.Late, out.Missing = done.Late, done.Missing
	if err != nil && len(out.Done) > 0 {
		said := *h.explain(err)
		said.Message += "; before that " + plural(len(out.Done)) + " done"
		return out, &said
	}
	return out, invalidSelection(err)
}
