package turnstiletest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestWithQueuesServesOnlyTheNamedQueues(t *testing.T) {
	t.Parallel()
	work := turnstile.NewActivity[int, int]("Work")
	flow := turnstile.NewOrchestration[string, int]("Flow")
	app := turnstile.NewApp(
		work.Implement(func(_ context.Context, n int) (int, error) { return 2 * n, nil }),
		flow.Implement(func(ctx turnstile.Context, queue string) (int, error) {
			return work.With(turnstile.Queue(queue)).Call(ctx, 21)
		}))
	for _, c := range []struct {
		serves, names string
		made          bool
	}{{"gpu", "gpu", true}, {"gpu", "default", false}, {"gpu", "other", false}, {"default", "default", true}, {"default", "gpu", false}} {
		t.Run(c.names+" where "+c.serves+" is served", func(t *testing.T) {
			t.Parallel()
			failed := attempt(func(t turnstiletest.T) {
				env := turnstiletest.New(t, app, turnstiletest.WithQueues(c.serves))
				got, err := turnstiletest.Start(env, flow, c.names).Wait()
				if !c.made || got != 42 || err != nil {
					t.Errorf("it ended with %d, %v", got, err)
				}
			}).texts
			want := `activity "Work" (event 2) in queue "` + c.names + `", which WithQueues does not name`
			if text := strings.Join(failed, "\n"); c.made && text != "" || !c.made && !strings.Contains(text, want) {
				t.Errorf("the test fails with %q", text)
			}
		})
	}
}
