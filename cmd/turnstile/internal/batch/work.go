package batch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

const (
	// tries is the number of attempts after a temporary error, tryAgain the first pause.
	tries    = 5
	tryAgain = time.Second
	// reportedFailures is the largest number of failures to print, one per line.
	reportedFailures = 100
	// noteEvery is the number of instances after which progress is recorded.
	noteEvery = 100
	// atOnce is the concurrency.
	atOnce = 8
)

// Worker runs jobs. It prints their progress and stores the rest of an interrupted job.
type Worker struct {
	Folder Folder
	// Rate is the largest number of instances per second.
	Rate float64
	// Do takes the action on one instance.
	Do func(ctx context.Context, j *Job, instance string) error
	// Notes receives progress and failures.
	Notes *term.Screen
	// Command is the command line that continues a job, without --resume and the id.
	Command string
	// Sleep waits, and reports false if the context ended first.
	Sleep func(ctx context.Context, d time.Duration) bool
	Now   func() time.Time
}

// Work runs a job from after the first done instances, and removes the job from the folder when it is
// complete. The result is valid even with an error, which says that some instances failed or how to
// continue.
func (w *Worker) Work(ctx context.Context, j *Job, done int) (Result, error) {
	bar := term.NewProgress(w.Notes, w.Now)
	out := Result{Job: j}
	startedAt, noted := w.Now(), done
	var writing error
	runner := Runner{
		Rate: w.Rate, AtOnce: atOnce, Sleep: w.Sleep, Now: w.Now,
		Do: func(ctx context.Context, instance string) (Outcome, error) { return w.one(ctx, j, instance) },
		OnFailed: func(instance string, err error) {
			if len(out.Failures) < reportedFailures {
				out.Failures = append(out.Failures, api.BatchFailed{Instance: instance, Error: plain.Message(err)})
				bar.Line(fmt.Sprintf("not sent: %s for %s: %s", j.Verb, printable.Line(instance), plain.Message(err)))
			}
		},
		OnProgress: func(p Progress, prefix int) {
			bar.Show(progressText(p, done, w.Now().Sub(startedAt)))
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
			fmt.Fprintf(w.Notes, "the batch is complete, but its file could not be removed: %v\n", err)
		}
	}
	switch p := out.Progress; {
	case !finished && ctx.Err() == nil:
		return out, errors.Join(writing, fmt.Errorf("stopped after %d failures (see above). When requests succeed again, continue with:\n  %s --resume %s", p.Failed, w.Command, j.ID))
	case !finished:
		return out, errors.Join(writing, fmt.Errorf("interrupted: %d of %s done. Continue with:\n  %s --resume %s", p.Done, plain.Plural(p.All, "instance", "instances"), w.Command, j.ID))
	case p.Failed > 0:
		return out, fmt.Errorf("nothing was sent to %d of %s (see above)", p.Failed, plain.Plural(p.All, "instance", "instances"))
	}
	return out, nil
}

// one takes the action on an instance. It retries after temporary errors.
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

// outcomeOf returns the outcome for the error of an action.
func outcomeOf(err error) (Outcome, error) {
	switch {
	case err == nil, errors.Is(err, client.ErrNoRecord):
		return Sent, nil
	case isGone(err):
		return Skipped, nil
	}
	return Failed, err
}

// isGone reports whether the instance has ended or does not exist.
func isGone(err error) bool {
	var ended *client.EndedError
	return errors.Is(err, client.ErrNotFound) || errors.As(err, &ended)
}

func progressText(p Progress, before int, took time.Duration) string {
	text := fmt.Sprintf("%d of %d", p.Done, p.All)
	if rate := float64(p.Done-before) / took.Seconds(); took > time.Second && rate > 0 {
		text += fmt.Sprintf(", %.0f per second, %s left", rate, plain.Span(time.Duration(float64(p.All-p.Done)/rate*float64(time.Second))))
	}
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	return text
}
