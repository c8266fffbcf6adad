package console_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// withCode is a console over a store whose client has the application.
func withCode(t *testing.T, s store.Store, app *turnstile.App) *bench {
	t.Helper()
	q, err := memory.New(memory.Options{Name: "orchestrator", FIFO: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	c, err := client.New(client.Config{Store: s, Queue: q, Activities: storememory.NewActivities(time.Now), App: app})
	if err != nil {
		t.Fatal(err)
	}
	h, err := console.Handler(c)
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, h: h}
}

// Stepping through a history, one is told where the code waited after each turn, and of a turn
// that was not over nothing is run for the first time.
func TestTheWaitingCodeLineIsReportedForEachEvent(t *testing.T) {
	t.Parallel()
	w, err := world()
	if err != nil {
		t.Fatal(err)
	}
	b := withCode(t, w.Store, demo.App(0, nil))
	base := path(demo.Completed) + "/code?at="
	whole, waited := get[api.Events](b, path(demo.Completed)+"/executions/1/events").Events, map[int64]bool{}
	before := int64(0)
	for n := range whole {
		got := get[api.CodeWaits](b, base+fmt.Sprint(n+1))
		if got.Problem != "" || got.EventID > int64(n+1) || got.EventID < before {
			t.Fatalf("after event %d, of %d before, the code waits at %+v", n+1, before, got)
		}
		before = got.EventID
		for _, branch := range got.Branches {
			if !strings.HasSuffix(branch.File, ".go") || branch.Line == 0 {
				t.Errorf("after event %d a branch waits at %+v", n+1, branch)
			}
			for _, id := range branch.EventIDs {
				if id > got.EventID {
					t.Errorf("after event %d the code waits for event %d", got.EventID, id)
				}
				waited[id] = true
			}
		}
		if n+1 == len(whole) && len(got.Branches) != 0 {
			t.Errorf("at its end the code waits at %+v", got)
		}
	}
	for _, e := range whole {
		if e.Kind == "ActivityScheduled" && !waited[e.EventID] {
			t.Errorf("nobody is told where the code waited for %s of event %d", e.Name, e.EventID)
		}
	}
	b.do("GET", "api/v1/"+base+"0", nil).fails(api.CodeInvalid, "the first event is 1")
}

// Where the code waits is told by file and line, with what it waits for; of code that does
// not follow the history, why it is not.
func TestTheWaitingCodeLineIsReported(t *testing.T) {
	t.Parallel()
	w, err := world()
	if err != nil {
		t.Fatal(err)
	}
	b := withCode(t, w.Store, demo.App(0, nil))
	for _, c := range []struct{ instance, file, call string }{
		{demo.ManyAttempts, "internal/demo/app.go", "callShop.Call("},
		{demo.WaitsForChild, "internal/demo/app.go", "region.Call("},
	} {
		got := get[api.CodeWaits](b, path(c.instance)+"/code")
		if len(got.Branches) != 1 || got.Problem != "" || len(got.Branches[0].EventIDs) != 1 || !strings.HasSuffix(got.Branches[0].File, c.file) {
			t.Fatalf("%s waits at %+v", c.instance, got)
		}
		source, err := os.ReadFile("../../" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		if line := strings.Split(string(source), "\n")[got.Branches[0].Line-1]; !strings.Contains(line, c.call) {
			t.Errorf("%s waits at line %d, which is %s", c.instance, got.Branches[0].Line, line)
		}
		waits := get[api.PendingOperations](b, path(c.instance)+"/waiting-for")
		if waits.Operations[0].EventID != got.Branches[0].EventIDs[0] {
			t.Errorf("%s waits for event %d, and its code for %d", c.instance, waits.Operations[0].EventID, got.Branches[0].EventIDs[0])
		}
	}
	for instance, problem := range map[string]string{demo.Nondeterminism: "CheckRows", demo.NotRegistered: "Retired"} {
		got := get[api.CodeWaits](b, path(instance)+"/code")
		if len(got.Branches) != 0 || !strings.Contains(got.Problem, problem) {
			t.Errorf("%s waits at %+v", instance, got)
		}
	}
	if got := get[api.CodeWaits](b, path(demo.Completed)+"/code"); len(got.Branches) != 0 || got.Problem != "" || got.EventID == 0 {
		t.Errorf("what has ended waits at %+v", got)
	}
	b.do(http.MethodGet, "api/v1/instances/nobody/code", nil).fails(api.CodeNotFound)
	looking(t).do(http.MethodGet, "api/v1/"+path(demo.ManyAttempts)+"/code", nil).fails(api.CodeNotOffered)
	if !get[api.About](b, "about").Capabilities.Code || get[api.About](looking(t), "about").Capabilities.Code {
		t.Error("about does not say whether the code is at hand")
	}
}

// A replay does not run for the first time what was recorded without running the code.
func TestWhatNoCodeHasAnsweredIsNotRunToSayWhereItWaits(t *testing.T) {
	t.Parallel()
	var ran int
	wait, effect := turnstile.NewEvent[string]("go"), turnstile.NewOrchestration[string, string]("Effect")
	app := turnstile.NewApp(wait, effect.Implement(func(ctx turnstile.Context, in string) (string, error) {
		if _, err := wait.Wait(ctx); err != nil {
			return "", err
		}
		if _, err := turnstile.SideEffect(ctx, "count", func() (int, error) { ran++; return ran, nil }); err != nil {
			return "", err
		}
		return wait.Wait(ctx)
	}))
	env := turnstiletest.New(t, app)
	turnstiletest.Start(env, effect, "x", client.WithInstanceID("e"))
	env.Run()
	if err := env.Client().Suspend(context.Background(), "e", "look"); err != nil {
		t.Fatal(err)
	}
	env.Run()
	turnstiletest.Raise(env, wait, "e", "now")
	env.Run()
	b := withCode(t, env.Store(), app)
	if got := get[api.CodeWaits](b, "instances/e/code"); ran != 0 || len(got.Branches) != 1 || got.Problem != "" {
		t.Errorf("the side effect ran %d times, it waits at %+v", ran, got)
	}
}
