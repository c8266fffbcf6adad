package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
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
)

// work does what is left of a batch.
func (r *bulkRun) work(ctx context.Context, j *batch.Job, done int) error {
	bar := term.NewProgress(r.screen(r.err), r.now)
	var failed []api.BatchFailed
	began, noted := r.now(), done
	var writing error
	runner := batch.Runner{
		Rate: r.rate, AtOnce: batchAtOnce, Sleep: r.sleep, Now: r.now,
		Do: func(ctx context.Context, instance string) (batch.Outcome, error) { return r.one(ctx, j, instance) },
		OnFailed: func(instance string, err error) {
			if len(failed) < toldFailures {
				failed = append(failed, api.BatchFailed{Instance: instance, Error: message(err)})
				bar.Line(fmt.Sprintf("not sent: %s for %s: %s", j.Verb, printable.Line(instance), message(err)))
			}
		},
		OnProgress: func(p batch.Progress, prefix int) {
			bar.Show(progressText(p, done, r.now().Sub(began)))
			if prefix-noted >= 100 || p.Done == p.All {
				writing, noted = errors.Join(writing, r.folder.Note(j.ID, prefix)), prefix
			}
		},
	}
	p, finished := runner.Run(ctx, j.Instances, done)
	bar.End()
	if finished {
		if err := r.folder.Remove(j.ID); err != nil {
			fmt.Fprintf(r.err, "the batch is done, and its file stays: %v\n", err)
		}
	}
	if err := r.printBatch(j, p, failed); err != nil {
		return err
	}
	switch {
	case !finished && ctx.Err() == nil:
		return errors.Join(writing, fmt.Errorf("stopped after %d failures (see above). When requests succeed again, go on with:\n  turnstile%s %s --resume %s", p.Failed, r.settings.words(), j.Verb, j.ID))
	case !finished:
		return errors.Join(writing, fmt.Errorf("interrupted: %d of %s are done. Go on with:\n  turnstile%s %s --resume %s", p.Done, plain.Plural(p.All, "instance", "instances"), r.settings.words(), j.Verb, j.ID))
	case p.Failed > 0:
		return fmt.Errorf("nothing was sent to %d of %s (see above)", p.Failed, plain.Plural(p.All, "instance", "instances"))
	}
	return nil
}

// one does it to an instance; what passes is tried again.
func (r *bulkRun) one(ctx context.Context, j *batch.Job, instance string) (batch.Outcome, error) {
	for n, pause := 1, tryAgain; ; n, pause = n+1, pause*2 {
		how, err := outcome(r.do(ctx, r.instances, j, instance))
		if how != batch.Failed || n == tries || !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, queue.ErrUnavailable) {
			return how, err
		}
		if !r.sleep(ctx, pause) {
			return how, err
		}
	}
}

// isGone reports whether there is nothing to do to an instance any more.
func isGone(err error) bool {
	var ended *client.EndedError
	var refused *remote.Error
	return errors.Is(err, client.ErrNotFound) || errors.As(err, &ended) || errors.As(err, &refused) && refused.Said.Code == api.CodeEnded
}

func progressText(p batch.Progress, before int, took time.Duration) string {
	text := fmt.Sprintf("%d of %d", p.Done, p.All)
	if rate := float64(p.Done-before) / took.Seconds(); took > time.Second && rate > 0 {
		text += fmt.Sprintf(", %.0f a second, %s left", rate, plain.Span(time.Duration(float64(p.All-p.Done)/rate*float64(time.Second))))
	}
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	return text
}

// printDryRun says which instances are selected.
func (r *bulkRun) printDryRun(ids []string) error {
	if r.json() {
		return r.printJSON(api.Batch{Action: r.verb, Selected: len(ids), DryRun: true, Instances: ids})
	}
	for _, id := range ids {
		fmt.Fprintln(r.out, id)
	}
	fmt.Fprintf(r.err, "would %s %s of %s; nothing was done\n", r.verb, plain.Plural(len(ids), "instance", "instances"), r.settings.where())
	return nil
}

// printBatch says what became of it.
func (r *bulkRun) printBatch(j *batch.Job, p batch.Progress, failed []api.BatchFailed) error {
	if r.json() {
		out := api.Batch{Action: r.verb, Selected: p.All, Sent: p.Sent, Skipped: p.Skipped, Failed: failed, FailedCount: p.Failed}
		if p.Done < p.All {
			out.ID = j.ID
		}
		return r.printJSON(out)
	}
	text := fmt.Sprintf("sent: %s for %s", j.Verb, plain.Plural(p.Sent, "instance", "instances"))
	if p.Skipped > 0 {
		text += fmt.Sprintf("; %d had ended or gone meanwhile", p.Skipped)
	}
	fmt.Fprintln(r.err, text)
	return nil
}
