package awslambda

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/catalog"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// noted keeps what is noted.
type noted struct {
	builds []dynamo.Build
	err    error
}

func (n *noted) NoteBuild(_ context.Context, b dynamo.Build) error {
	n.builds = append(n.builds, b)
	return n.err
}

func catalogApp() *turnstile.App {
	return turnstile.NewApp(
		turnstile.NewOrchestration[map[string]int, string]("Fulfil").Implement(func(turnstile.Context, map[string]int) (string, error) { return "", nil }),
		turnstile.NewActivity[string, int]("Charge").With(turnstile.Queue("mail")).Implement(func(context.Context, string) (int, error) { return 0, nil }),
		turnstile.NewEvent[bool]("approved"),
	)
}

func TestEachFunctionWritesDownOnceWhatItServes(t *testing.T) {
	t.Parallel()
	for serves, want := range map[string]string{servesOrchestrations: "event approved, orchestration Fulfil", servesActivities: "activity Charge by mail"} {
		to := &noted{}
		n := &catalogNote{app: catalogApp(), serves: serves, to: to, logger: slog.New(slog.DiscardHandler)}
		for range 3 {
			n.start(t.Context())()
		}
		if len(to.builds) != 1 || to.builds[0].Serves != serves || to.builds[0].ID != buildName() {
			t.Fatalf("%s: three invocations noted %+v", serves, to.builds)
		}
		var entries []catalog.Entry
		if err := json.Unmarshal(to.builds[0].Catalog, &entries); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			if e.Queue != "" {
				e.Name += " by " + e.Queue
			}
			names = append(names, string(e.Kind)+" "+e.Name)
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("the build of %s has %s, want %s", serves, got, want)
		}
	}
}

func TestAFailedNoteIsLoggedAndDelaysNothing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	n := &catalogNote{app: catalogApp(), serves: servesActivities, to: &noted{err: errors.New("no leave")}, logger: slog.New(slog.NewJSONHandler(&out, nil))}
	n.start(t.Context())()
	if !strings.Contains(out.String(), "no leave") || !strings.Contains(out.String(), `"WARN"`) {
		t.Errorf("the log is %s", out.String())
	}
	(*catalogNote)(nil).start(t.Context())()
}

func TestANoteThatFailsIsTriedAtTheNextInvocationsUpToABound(t *testing.T) {
	t.Parallel()
	to := &noted{err: errors.New("throttled")}
	n := &catalogNote{app: catalogApp(), serves: servesActivities, to: to, logger: slog.New(slog.DiscardHandler)}
	n.start(t.Context())()
	to.err = nil
	n.start(t.Context())()
	n.start(t.Context())()
	if len(to.builds) != 2 {
		t.Errorf("a failure and a success make %d tries in three invocations, want 2", len(to.builds))
	}
	never := &noted{err: errors.New("no leave")}
	n = &catalogNote{app: catalogApp(), serves: servesActivities, to: never, logger: slog.New(slog.DiscardHandler)}
	for range 2 * mostNotes {
		n.start(t.Context())()
	}
	if len(never.builds) != mostNotes {
		t.Errorf("without the right to store it there are %d tries, want %d", len(never.builds), mostNotes)
	}
}
