package guide_test

import (
	"context"
	"errors"
	"log"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

// goOn has an instance that failed go on, and says what starts anew.
func goOn(ctx context.Context, c *client.Client, id string) error {
	plan, err := c.Redrive(ctx, client.RedriveRequest{Instance: id, DryRun: true})
	if err != nil {
		return err
	}
	for _, work := range plan.Again {
		log.Printf("event %d, %s %s, starts anew: it was %s", work.EventID, work.Kind, work.Name, work.Why)
	}
	_, err = c.Redrive(ctx, client.RedriveRequest{Instance: id, Reason: "the printer has paper again"})
	return err
}

func TestTheExampleOfRedriveRunsNothingTwiceThatCompleted(t *testing.T) {
	t.Parallel()
	var (
		parcel  = turnstile.NewOrchestration[string, string]("Parcel")
		pack    = turnstile.NewActivity[string, string]("Pack")
		label   = turnstile.NewActivity[string, string]("Label")
		packed  int
		labels  int
		noPaper = true
	)
	e, err := embedded.New(turnstile.NewApp(
		pack.Implement(func(_ context.Context, in string) (string, error) { packed++; return in, nil }),
		label.Implement(func(_ context.Context, in string) (string, error) {
			labels++
			if noPaper {
				return "", turnstile.NonRetryable(errors.New("out of paper"))
			}
			return "label of " + in, nil
		}),
		parcel.Implement(func(ctx turnstile.Context, in string) (string, error) {
			box, err := pack.Call(ctx, in)
			if err != nil {
				return "", err
			}
			return label.Call(ctx, box)
		})), embedded.WithVirtualTime(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	defer func() { stop(); <-ended }()

	c := e.Client()
	run, err := client.Start(ctx, c, parcel, "a book", client.WithInstanceID("p-1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Wait(ctx); err == nil {
		t.Fatal("it did not fail")
	}
	noPaper = false
	if err := goOn(ctx, c, "p-1"); err != nil {
		t.Fatal(err)
	}
	run.After = 1
	run.StartID = ""
	got, err := run.Wait(ctx)
	if err != nil || got != "label of a book" || packed != 1 || labels != 2 {
		t.Errorf("%q, %v; packed %d times, labelled %d times", got, err, packed, labels)
	}
	if _, err := c.Redrive(ctx, client.RedriveRequest{Instance: "p-1"}); !errors.As(err, new(*client.RedriveError)) {
		t.Errorf("of what has completed: %v", err)
	}
}
