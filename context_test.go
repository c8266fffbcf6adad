package turnstile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

// labels returns the labels of the events that have one.
func labels(events []history.Event) string {
	var all []string
	for i := range events {
		if e := &events[i]; e.Label != "" {
			all = append(all, fmt.Sprintf("%s %s", e.Kind, e.Label))
		}
	}
	return strings.Join(all, ", ")
}

func TestALabelIsRecordedWithOperationsOfItsContext(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[int, int]("Flow")
	part := func(grace string) turnstile.Component {
		return flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
			stock := turnstile.Go(ctx.WithLabel("stock"), func(ctx turnstile.Context) (int, error) {
				if err := turnstile.Sleep(ctx.WithLabel("shelf"), time.Minute); err != nil {
					return 0, err
				}
				return double.Call(ctx, n)
			})
			if err := turnstile.Sleep(ctx.WithLabel(grace), time.Hour); err != nil {
				return 0, err
			}
			if _, err := double.Call(ctx, 1); err != nil {
				return 0, err
			}
			return stock.Await(ctx)
		})
	}
	e := start(t, part("grace period"), double.Implement(doubled))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 4))
	if got, err := run.Wait(e.ctx); err != nil || got != 8 {
		t.Fatal(got, err)
	}
	events := e.history(run.Instance)
	const want = "TimerCreated grace period, TimerCreated stock / shelf, ActivityScheduled stock"
	if got := labels(events); got != want {
		t.Errorf("the labels are %s, want %s", got, want)
	}
	for _, grace := range []string{"grace period", "time to pay", ""} {
		if turn := replay(t, turnstile.NewApp(part(grace), double.Implement(doubled)), run.Instance, events); turn.Stuck != nil || len(turn.Events) != 0 {
			t.Errorf("replayed with the label %q: %v, %d events", grace, turn.Stuck, len(turn.Events))
		}
	}
}

// With a fan-out each operation has the label of its item.
func TestTheCallsOfAMapHaveTheLabelsOfTheirItems(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[int, int]("Flow")
	e := start(t, double.Implement(doubled), flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
		_, err := turnstile.Map(ctx.WithLabel("refunds"), []int{7, 8, 9}, 2, func(ctx turnstile.Context, order int) (int, error) {
			return double.Call(ctx.WithLabel(fmt.Sprint("order ", order)), order)
		})
		return 0, err
	}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 0))
	if _, err := run.Wait(e.ctx); err != nil {
		t.Fatal(err)
	}
	const want = "ActivityScheduled refunds / order 7, ActivityScheduled refunds / order 8, ActivityScheduled refunds / order 9"
	if got := labels(e.history(run.Instance)); got != want {
		t.Errorf("the labels are %s, want %s", got, want)
	}
}

func TestAnInvalidLabelIsAMisuseThatSaysWhy(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{
		"":                       "",
		"Frist für Ä & 日本":       "",
		strings.Repeat("é", 100): "",
		strings.Repeat("é", 101): "has 101 characters; the maximum is 100",
		"two\nlines":             "has the control character U+000A at byte 3: labels are one line of plain text",
		"right\u202eto left":     "has the text direction mark U+202E at byte 5",
		"\xff":                   `the label "\xff" is not UTF-8`,
		"\xff" + strings.Repeat("a long text ", 99): "is not UTF-8",
	} {
		_, err := outcome(t, func(ctx turnstile.Context) (err error) {
			defer func() {
				misuse, is := recover().(*turnstile.MisuseError)
				switch {
				case is && want != "" && misuse.Call == "Context.WithLabel" && strings.Contains(misuse.Problem, want) && len(misuse.Problem) < 500:
				case !is && want == "":
				default:
					err = differ("WithLabel(%q) panics with %v, want %q", label, misuse, want)
				}
			}()
			return turnstile.Sleep(ctx.WithLabel(label), 0)
		})
		if err != nil {
			t.Error(err)
		}
	}
	defer func() {
		if misuse, is := recover().(error); !is || !strings.Contains(misuse.Error(), "the Context is the zero value") {
			t.Errorf("a zero Context panics with %v", misuse)
		}
	}()
	turnstile.Context{}.WithLabel("a")
}
