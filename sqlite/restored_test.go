package sqlite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/sqlite"
)

// After a restore another activity may get the id of one that was lost. The token of the lost
// one completes nothing; a token from before the restored moment is still valid, and
// idempotency keys are what they were.
func TestM19WhatARestoreLostIsRefusedAndNothingElse(t *testing.T) {
	t.Parallel()
	type attempt struct{ input, token, key string }
	var (
		approve  = turnstile.NewActivity[string, string]("Approve")
		decision = turnstile.NewEvent[string]("decision")
		order    = turnstile.NewOrchestration[string, []string]("Order")
		attempts = make(chan attempt, 16)
	)
	app := func() *turnstile.App {
		return turnstile.NewApp(
			approve.Implement(func(ctx context.Context, in string) (string, error) {
				info := turnstile.ActivityInfo(ctx)
				attempts <- attempt{in, info.CompletionToken, info.IdempotencyKey}
				return "", turnstile.ErrPending
			}),
			order.Implement(func(ctx turnstile.Context, in string) ([]string, error) {
				first := approve.Start(ctx, in)
				what, err := decision.Wait(ctx)
				if err != nil {
					return nil, err
				}
				second := approve.Start(ctx, what)
				return turnstile.Join(ctx, first, second)
			}))
	}
	of := func(input string) attempt {
		t.Helper()
		for {
			select {
			case a := <-attempts:
				if a.input == input {
					return a
				}
			case <-t.Context().Done():
				t.Fatal("the attempt did not begin")
			}
		}
	}
	ctx := t.Context()
	db := open(t)
	before, stop := runtimeOn(t, db, app())
	begin(t, before, order, "first", "order-1")
	mailed := of("first")
	dir := t.TempDir()
	if err := db.Backup(ctx, filepath.Join(dir, sqlite.FileName)); err != nil {
		t.Fatal(err)
	}
	if err := client.Raise(ctx, before.Client(), decision, "order-1", "lost"); err != nil {
		t.Fatal(err)
	}
	lost := of("lost")
	stop()

	restored, _ := runtimeOn(t, openIn(t, dir), app())
	if err := client.Raise(ctx, restored.Client(), decision, "order-1", "kept"); err != nil {
		t.Fatal(err)
	}
	kept := of("kept")
	if kept.token == lost.token || kept.key != lost.key {
		t.Errorf("tokens %q and %q, keys %q and %q: want other tokens and the same key", lost.token, kept.token, lost.key, kept.key)
	}
	var refused *client.TokenError
	if err := client.Complete(ctx, restored.Client(), approve, lost.token, "by the lost one"); !errors.As(err, &refused) {
		t.Errorf("the lost token: %v; want a TokenError", err)
	}
	// A sender that reads no history.
	if err := restored.Send(ctx, fmt.Sprintf(`{"kind":"ActivityCompleted","activity_token":%q,"result":"by the lost one"}`, lost.token)); err != nil {
		t.Fatal(err)
	}
	if err := client.Complete(ctx, restored.Client(), approve, mailed.token, "mailed"); err != nil {
		t.Errorf("the token from before the restored moment: %v", err)
	}
	if err := client.Complete(ctx, restored.Client(), approve, kept.token, "kept"); err != nil {
		t.Errorf("the token of the activity that has the id now: %v", err)
	}
	got, err := client.Attach(restored.Client(), order, "order-1").Wait(ctx)
	if text, _ := json.Marshal(got); err != nil || string(text) != `["mailed","kept"]` {
		t.Errorf("it ended with %s, %v", text, err)
	}
	if n := restored.DeadLetters(); n != 0 {
		t.Errorf("%d dead letters", n)
	}
}
