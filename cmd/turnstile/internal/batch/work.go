package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

const (
	// tries is how often something is tried that passes, tryAgain the first pause.
	tries    = 5
	tryAgain = time.Second
	// toldFailures is how many failures are told, one a line.
	toldFailures = 100
	// noteEvery is after how many instances it is noted how far a job came.
	noteEvery = 100
	// atOnce is how many instances are worked on side by side.
	atOnce = 8
)

// Worker does jobs, tells how far it came, and keeps what is left of one that was
// interrupted.
type Worker struct {
	Folder Folder
	// Rate is how many instances a second at most.
	Rate float64
	// Do does it to an instance.
	Do func(ctx context.Context, j *Job, instance string) error
	// Notes is where progress and failures are told.
	Notes *term.Screen
	// Command is the command line that goes on with a job, without --resume and its id.
	Command string
	// Sleep waits, and reports false if the context ended first.
	Sleep func(ctx context.Context, d time.Duration) bool
	Now   func() time.Time
}

// Work does what is left of a job behind the first done instances, and removes it from
// the folder if it is done. The result counts also where there is an error: that nothing
// was sent to some, or how to go on.
func (w *Worker) Work(ctx context.Context, j *Job, done int) (Result, error) {
	bar := term.NewProgress(w.Notes, w.Now)
	out := Result{Job: j}
	began, noted := w.Now(), done
	var writing error
	runner := Runner{
		Rate: w.Rate, AtOnce: atOnce, Sleep: w.Sleep, Now: w.Now,
		Do: func(ctx context.Context, instance string) (Outcome, error) { return w.one(ctx, j, instance) },
		OnFailed: func(instance string, err error) {
			if len(out.Failures) < toldFailures {
				out.Failures = append(out.Failures, api.BatchFailed{Instance: instance, Error: plain.Message(err)})
				bar.Line(fmt.Sprintf("not sent: %s for %s: %s", j.Verb, printable.Line(instance), plain.Message(err)))
			}
		},
		OnProgress: func(p Progress, prefix int) {
			bar.Show(progressText(p, done, w.Now().Sub(began)))
			if prefix-noted >= noteEvery || p.Done == p.All {
				writing, noted = errors.Join(writing, w.Folder.Note(j.ID, prefix)), prefix
			}
		},
	}
	var finished bool
	out.Progress, finished = runner.Run(ctx, j.Instances, done)
	bar.End()
	if finished {
		if err := w.Folder.Remove(j.ID); err != nil {
			fmt.Fprintf(w.Notes, "the batch is done, and its file stays: %v\n", err)
		}
	}
	switch p := out.Progress; {
	case !finished && ctx.Err() == nil:
		return out, errors.Join(writing, fmt.Errorf("stopped after %d failures (see above). When requests succeed again, go on with:\n  %s --resume %s", p.Failed, w.Command, j.ID))
	case !finished:
		return out, errors.Join(writing, fmt.Errorf("interrupted: %d of %s are done. Go on with:\n  %s --resume %s", p.Done, plain.Plural(p.All, "instance", "instances"), w.Command, j.ID))
	case p.Failed > 0:
		return out, fmt.Errorf("nothing was sent to %d of %s (see above)", p.Failed, plain.Plural(p.All, "instance", "instances"))
	}
	return out, nil
}

// one does it to an instance; what passes is tried again.
func (w *Worker) one(ctx context.Context, j *Job, instance string) (Outcome, error) {
	for n, pause := 1, tryAgain; ; n, pause = n+1, pause*2 {
		how, err := outcomeOf(w.Do(ctx, j, instance))
		if how != Failed || n == tries || !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, queue.ErrUnavailable) {
			return how, err
		}
		if !w.Sleep(ctx, pause) {
			return how, err
		}
	}
}

// outcomeOf says what became of an instance.
func outcomeOf(err error) (Outcome, error) {
	switch {
	case err == nil, errors.Is(err, client.ErrNoRecord):
		return Sent, nil
	case isGone(err):
		return Skipped, nil
	}
	return Failed, err
}

// isGone reports whether there is nothing to do to an instance any more.
func isGone(err error) bool {
	var ended *client.EndedError
	var refused *remote.Error
	return errors.Is(err, client.ErrNotFound) || errors.As(err, &ended) || errors.As(err, &refused) && refused.Said.Code == api.CodeEnded
}

func progressText(p Progress, before int, took time.Duration) string {
	text := fmt.Sprintf("%d of %d", p.Done, p.All)
	if rate := float64(p.Done-before) / took.Seconds(); took > time.Second && rate > 0 {
		text += fmt.Sprintf(", %.0f a second, %s left", rate, plain.Span(time.Duration(float64(p.All-p.Done)/rate*float64(time.Second))))
	}
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	return text
}
