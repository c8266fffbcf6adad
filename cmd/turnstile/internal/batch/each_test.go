package batch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
)

func TestOneThatFailsDoesNotKeepItFromTheOthersThatAreNamed(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	var notes strings.Builder
	err := batch.Each(t.Context(), &notes, &batch.Job{Verb: "cancel"}, []string{"a", "b", "c"}, func(_ context.Context, _ *batch.Job, instance string) error {
		return map[string]error{"a": refused, "b": fmt.Errorf("%w: b", client.ErrNoRecord)}[instance]
	})
	want := "sent: cancel for b, which does not exist yet: it has an effect only if a start is queued\nsent: cancel for c\n"
	if !errors.Is(err, refused) || errors.Is(err, client.ErrNoRecord) || notes.String() != want {
		t.Errorf("it says %q and %v, want %q", notes.String(), err, want)
	}
}

func TestNoneIsStartedAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	var did []string
	var notes strings.Builder
	_ = batch.Each(ctx, &notes, &batch.Job{Verb: "cancel"}, []string{"a", "b"}, func(_ context.Context, _ *batch.Job, instance string) error {
		did = append(did, instance)
		interrupt()
		return nil
	})
	if len(did) != 1 {
		t.Errorf("it was done to %v", did)
	}
}
