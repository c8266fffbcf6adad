package guide_test

import (
	"context"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// Show progress.

type Progress struct {
	Copied int `json:"copied"`
	Of     int `json:"of"`
}

var (
	Copying = turnstile.NewState[Progress]("progress")
	Left    = turnstile.NewQuery[int, int]("pages left")
	CopyAll = turnstile.NewOrchestration[[]string, int]("CopyAll")
)

func copyAll(ctx turnstile.Context, pages []string) (int, error) {
	copied := 0
	Left.Handle(ctx, func(perHour int) (int, error) { return (len(pages) - copied) / perHour, nil })
	for range pages {
		if _, err := Resize.Call(ctx, "page"); err != nil {
			return copied, err
		}
		copied++
		if err := Copying.Set(ctx, Progress{Copied: copied, Of: len(pages)}); err != nil {
			return copied, err
		}
	}
	return copied, nil
}

func follow(ctx context.Context, c *client.Client, id string, show func(Progress)) error {
	var seen client.StateNumber
	for {
		p, err := client.WaitState(ctx, c, Copying, id, seen)
		if err != nil {
			return err
		}
		show(p.Value)
		if p.Ended {
			return nil
		}
		seen = p.Number
	}
}

func hoursLeft(ctx context.Context, c *client.Client, id string) (int, error) {
	a, err := client.Query(ctx, c, Left, id, 100)
	return a.Value, err
}

func TestProgressIsFollowedAndTheCodeIsAsked(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(CopyAll.Implement(copyAll), Left,
		Resize.Implement(func(_ context.Context, p string) (string, error) { return p, nil })))
	run := turnstiletest.Start(env, CopyAll, make([]string, 3))
	var last Progress
	if err := follow(t.Context(), env.Client(), run.Instance, func(p Progress) { last = p }); err != nil || last != (Progress{3, 3}) {
		t.Errorf("it came to %+v, %v", last, err)
	}
	if n, err := hoursLeft(t.Context(), env.Client(), run.Instance); err != nil || n != 0 {
		t.Errorf("%d hours, %v", n, err)
	}
}
