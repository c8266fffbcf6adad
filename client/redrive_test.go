package client_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/codec/gzip"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/history"
)

// sumOfWork is an orchestration that has an activity multiply 1 to n by ten, one after the
// other, and sums that up. The activity fails for good where fails says so, which is asked for
// each attempt.
func sumOfWork(fails func(in int) bool) (turnstile.Orchestration[int, int], []turnstile.Component) {
	job, work := turnstile.NewOrchestration[int, int]("Job"), turnstile.NewActivity[int, int]("Work")
	return job, []turnstile.Component{
		work.Implement(func(_ context.Context, in int) (int, error) {
			if fails(in) {
				return 0, turnstile.NonRetryable(errors.New("broken"))
			}
			return in * 10, nil
		}),
		job.Implement(func(ctx turnstile.Context, n int) (int, error) {
			sum := 0
			for i := range n {
				out, err := work.Call(ctx, i+1)
				if err != nil {
					return 0, err
				}
				sum += out
			}
			return sum, nil
		}),
	}
}

func TestO10ARedriveReportsWhatItStartsAgainAndRunsOnlyThat(t *testing.T) {
	t.Parallel()
	broken, runs := true, map[int]int{}
	job, parts := sumOfWork(func(in int) bool { runs[in]++; return in == 3 && broken })
	e := start(t, parts...)
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, job, 4, client.WithInstanceID("j")))
	if _, err := run.Wait(e.ctx); err == nil {
		t.Fatal("it did not fail")
	}
	request := client.RedriveRequest{Instance: "j", DryRun: true}
	plan := ok[client.Redriven](t)(e.client.Redrive(e.ctx, request))
	if plan.CopiedEvents != 6 || plan.Kept != 0 || !slices.Equal(plan.Rescheduled, []client.RedrivenWork{{EventID: 6, Kind: history.ActivityScheduled, Name: "Work", Why: "failed"}}) || plan.StartID != "" {
		t.Errorf("the plan is %+v", plan)
	}
	broken = false
	request.DryRun, request.DeduplicationID, request.Reason = false, "r", "mended"
	redriven := ok[client.Redriven](t)(e.client.Redrive(e.ctx, request))
	run.StartID, run.PreviousExecution = redriven.StartID, redriven.PreviousExecution
	if got := ok[int](t)(run.Wait(e.ctx)); got != 100 || fmt.Sprint(runs) != "map[1:1 2:1 3:2 4:1]" {
		t.Errorf("it gave %d after %v", got, runs)
	}
	ok[client.Redriven](t)(e.client.Redrive(e.ctx, request)) // Its repeat.
	i := slices.IndexFunc(e.history("j"), func(ev history.Event) bool { return ev.Kind == history.OrchestrationRedriven })
	if marker := e.history("j")[i]; i != 6 || marker.Reason != "mended" || marker.SenderID != "r" {
		t.Errorf("event %d is %+v", i+1, marker)
	}
}

// O-10: a child that went on while its parent had failed is cancelled by the code of the parent's next
// execution, as one of its own is.
func TestO10ARedrivenParentCancelsAChildThatContinued(t *testing.T) {
	t.Parallel()
	broken := true
	parent, child := turnstile.NewOrchestration[string, string]("Parent"), turnstile.NewOrchestration[string, string]("Child")
	work, never := turnstile.NewActivity[string, string]("Work"), turnstile.NewEvent[string]("never")
	e := start(t,
		work.Implement(func(context.Context, string) (string, error) {
			if broken {
				return "", turnstile.NonRetryable(errors.New("broken"))
			}
			return "worked", nil
		}),
		child.Implement(func(ctx turnstile.Context, _ string) (string, error) { return never.Wait(ctx) }),
		parent.Implement(func(ctx turnstile.Context, in string) (string, error) {
			waits := child.With(turnstile.InstanceID("child"), turnstile.ParentClosePolicy(turnstile.Abandon)).Start(ctx, in)
			if _, err := work.Call(ctx, in); err != nil {
				return "", err
			}
			return "cancelled it", waits.Cancel("enough")
		}))
	run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, parent, "", client.WithInstanceID("p")))
	if _, err := run.Wait(e.ctx); err == nil {
		t.Fatal("it did not fail")
	}
	broken = false
	redriven := ok[client.Redriven](t)(e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "p"}))
	run.StartID, run.PreviousExecution = redriven.StartID, redriven.PreviousExecution
	if got := ok[string](t)(run.Wait(e.ctx)); got != "cancelled it" {
		t.Errorf("the parent gave %q", got)
	}
	if _, err := client.Attach(e.client, child, "child").Wait(e.ctx); !errors.Is(err, turnstile.ErrCancelled) {
		t.Errorf("the child ended with %v", err)
	}
	for _, ev := range e.history("child") {
		if ev.Kind == history.OrchestrationCancelRequested && ev.Reason == "enough" {
			return
		}
	}
	t.Errorf("nobody has cancelled the child: %+v", e.history("child"))
}

func TestO10WhatCannotBeRedriven(t *testing.T) {
	t.Parallel()
	e := start(t, attempts.Implement(attempted))
	if _, err := e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "nobody"}); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("of nobody: %v", err)
	}
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, attempts, 7, client.WithInstanceID("done")))
	ok[int](t)(run.Wait(e.ctx))
	for from, want := range map[int64]string{0: "it has completed", 9: "last event before its end is 1"} {
		_, err := e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "done", From: from})
		refused, is := errors.AsType[*client.RedriveError](err)
		if !is || !strings.Contains(err.Error(), want) || refused.Instance != "done" || refused.ExecutionID != 1 || refused.EventID != from {
			t.Errorf("from event %d: %v", from, err)
		}
	}
	waiting := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, attempts, 0, client.WithInstanceID("runs")))
	if err := waiting.WaitStarted(e.ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "runs"}); !errors.As(err, new(*client.StillRunningError)) {
		t.Errorf("of what runs: %v", err)
	}
	// A reset ends it first; it waits again for what it waited for.
	redriven := ok[client.Redriven](t)(e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "runs", Reset: true}))
	waiting.StartID, waiting.PreviousExecution = redriven.StartID, redriven.PreviousExecution
	if err := waiting.WaitStarted(e.ctx); err != nil {
		t.Fatal(err)
	}
	if d := ok[client.Description](t)(waiting.Describe(e.ctx)); d.ExecutionID != 2 || d.Status != client.StatusRunning {
		t.Errorf("behind a reset it is described as %+v", d)
	}
	if err := e.client.Raise(e.ctx, client.RaiseRequest{Instance: "runs", Name: "go", Data: []byte("1")}); err != nil {
		t.Fatal(err)
	}
	ok[int](t)(waiting.Wait(e.ctx))
}

// An earlier event takes back what was completed, and a child by an id of the code's is still there.
func TestADryRunReportsWhatFailedOrRepeatsFromAnEarlierEvent(t *testing.T) {
	t.Parallel()
	pack, parcel := turnstile.NewActivity[int, int]("Pack"), turnstile.NewOrchestration[int, int]("Parcel")
	ship := turnstile.NewOrchestration[int, int]("Ship")
	same := func(_ turnstile.Context, in int) (int, error) { return in, nil }
	e := start(t, parcel.Implement(same), pack.Implement(func(_ context.Context, in int) (int, error) { return in, nil }),
		ship.Implement(func(ctx turnstile.Context, in int) (int, error) {
			if _, err := pack.Call(ctx, in); err != nil {
				return 0, err
			}
			for _, options := range [][]turnstile.OrchestrationOption{
				nil, {turnstile.InstanceID("shared"), turnstile.UseExisting()}, {turnstile.InstanceID("parcel")},
			} {
				if _, err := parcel.With(options...).Call(ctx, in); err != nil {
					return 0, err
				}
			}
			return 0, errors.New("the van is full")
		}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, ship, 1, client.WithInstanceID("s")))
	if _, err := run.Wait(e.ctx); err == nil {
		t.Fatal("it did not fail")
	}
	plan := ok[client.Redriven](t)(e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "s", From: 3, DryRun: true}))
	why := map[string]string{}
	for _, w := range plan.Rescheduled {
		why[cmp.Or(w.Instance, w.Name)] = w.Why
	}
	want := map[string]string{"Pack": "completed", "s/1/4": "forgotten", "shared": "forgotten", "parcel": "taken"}
	if !maps.Equal(why, want) {
		t.Errorf("the dry run says %v, want %v", why, want)
	}
	redriven := ok[client.Redriven](t)(e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "s", From: 3}))
	run.StartID, run.PreviousExecution = redriven.StartID, redriven.PreviousExecution
	failed := new(client.OrchestrationError)
	if _, err := run.Wait(e.ctx); !errors.As(err, &failed) || failed.Kind != turnstile.KindAlreadyExists {
		t.Errorf("with the id taken it ended with %v", err)
	}
}

func TestO12AForkContinuesAsANewInstance(t *testing.T) {
	t.Parallel()
	broken, runs := true, map[int]int{}
	job, parts := sumOfWork(func(in int) bool { runs[in]++; return in == 2 && broken })
	e := start(t, append(parts, attempts.Implement(attempted))...)
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, job, 3, client.WithInstanceID("j")))
	if _, err := run.Wait(e.ctx); err == nil {
		t.Fatal("it did not fail")
	}
	request := client.RedriveRequest{Instance: "j", As: "j", DryRun: true}
	for as, reset := range map[string]bool{"j": false, "k": true} {
		request.As, request.Reset = as, reset
		if _, err := e.client.Redrive(e.ctx, request); !errors.As(err, new(*turnstile.InvalidArgumentError)) {
			t.Errorf("as %s, with Reset %t: %v", as, reset, err)
		}
	}
	request.As, request.Reset = "k", false
	// What is wrong with a request is said by its dry run too.
	for _, dry := range []bool{true, false} {
		_, err := e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "j", As: "k\n", DryRun: dry})
		if named := new(turnstile.InvalidArgumentError); !errors.As(err, &named) || named.Value != "k\n" {
			t.Errorf("as an id that is not valid, dry %t: %v", dry, err)
		}
		for _, as := range []string{"", "k"} {
			_, err := e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "j", As: as, From: -1, DryRun: dry})
			if wrong := new(turnstile.InvalidArgumentError); !errors.As(err, &wrong) || wrong.Argument != "From" {
				t.Errorf("as %q from an event below 0, dry %t: %v", as, dry, err)
			}
		}
	}
	if plan := ok[client.Redriven](t)(e.client.Redrive(e.ctx, request)); plan.CopiedEvents != 4 || len(plan.Rescheduled) != 1 || plan.StartID != "" {
		t.Errorf("the plan is %+v", plan)
	}
	broken = false
	request.DryRun, request.DeduplicationID, request.Reason = false, "f", "a trial"
	forked := ok[client.Redriven](t)(e.client.Redrive(e.ctx, request))
	if forked.Instance != "k" || forked.StartID != "f" || forked.PreviousExecution != 0 {
		t.Errorf("it says %+v", forked)
	}
	run.Instance, run.StartID = "k", forked.StartID
	if got := ok[int](t)(run.Wait(e.ctx)); got != 60 || fmt.Sprint(runs) != "map[1:1 2:2 3:1]" {
		t.Errorf("it gave %d after %v", got, runs)
	}
	if d := ok[client.Description](t)(e.client.Describe(e.ctx, "j")); d.Status != client.StatusFailed || d.ExecutionID != 1 || d.ForkCount != 1 || fmt.Sprint(d.Forks) != "[k]" || d.ForkOf != "" {
		t.Errorf("the instance is described as %+v", d)
	}
	if d := ok[client.Description](t)(e.client.Describe(e.ctx, "k")); d.ForkOf != "j" || d.ForkCount != 0 || d.Forks != nil {
		t.Errorf("the fork is described as %+v", d)
	}
	if marker := e.history("k")[4]; marker.Kind != history.OrchestrationRedriven || marker.Reason != "a trial" || marker.SenderID != "f" {
		t.Errorf("event 5 is %+v", marker)
	}
	ok[client.Redriven](t)(e.client.Redrive(e.ctx, request)) // Its repeat.
	for _, dry := range []bool{true, false} {
		other := request
		other.DeduplicationID, other.DryRun = "another", dry
		if _, err := e.client.Redrive(e.ctx, other); !errors.As(err, new(*client.AlreadyExistsError)) {
			t.Errorf("under an id that is taken, dry %t: %v", dry, err)
		}
	}
	// The fork that was begun needs the instance no more, and neither does its repeat.
	if err := e.client.Purge(e.ctx, "j"); err != nil {
		t.Fatal(err)
	}
	if err := e.Drain(e.ctx); err != nil {
		t.Fatal(err)
	}
	if again := ok[client.Redriven](t)(e.client.Redrive(e.ctx, request)); again.Instance != "k" || again.StartID != "f" {
		t.Errorf("a repeat once the instance was purged says %+v", again)
	}
	for _, dry := range []bool{true, false} {
		if _, err := e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "j", As: "l", DryRun: dry}); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("of what was purged, dry %t: %v", dry, err)
		}
		if _, err := e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "k", As: "j", From: 2, DryRun: dry}); !errors.Is(err, client.ErrPurged) {
			t.Errorf("under an id that was purged, dry %t: %v", dry, err)
		}
	}
	waiting := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, attempts, 0, client.WithInstanceID("runs")))
	if err := waiting.WaitStarted(e.ctx); err != nil {
		t.Fatal(err)
	}
	// One that runs is forked as it stands.
	other := ok[client.Redriven](t)(e.client.Redrive(e.ctx, client.RedriveRequest{Instance: "runs", As: "other"}))
	fork := *waiting
	fork.Instance, fork.StartID = "other", other.StartID
	if err := fork.WaitStarted(e.ctx); err != nil {
		t.Fatal(err)
	}
	for _, instance := range []string{"other", "runs"} {
		if err := e.client.Raise(e.ctx, client.RaiseRequest{Instance: instance, Name: "go", Data: []byte("1")}); err != nil {
			t.Fatal(err)
		}
	}
	ok[int](t)(waiting.Wait(e.ctx))
	ok[int](t)(fork.Wait(e.ctx))
}

// A key that is gone is said at the call, and nothing is sent; by a client that cannot know
// which keys the orchestrator has, the redrive is sent.
func TestO10ARedriveNeedsTheKeyOfItsHistory(t *testing.T) {
	t.Parallel()
	broken := true
	job, parts := sumOfWork(func(in int) bool { return in == 2 && broken })
	keys := map[string]codec.Codec{}
	for i, name := range []string{"old", "new"} {
		keys[name] = ok[codec.Codec](t)(aesgcm.New(name, bytes.Repeat([]byte{byte(i)}, aesgcm.KeySize)))
	}
	e := arrange(t, []embedded.Option{embedded.WithCodecs(ok[*codec.Set](t)(codec.NewSet(keys["old"])))}, parts...)
	e.run()
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, job, 2, client.WithInstanceID("j")))
	if _, err := run.Wait(e.ctx); err == nil {
		t.Fatal("it did not fail")
	}
	broken = false
	changed := func(string) <-chan struct{} { return nil }
	for name, c := range map[string]struct {
		config client.Config
		gone   bool
	}{
		"one that seals, with another key": {client.Config{Codecs: ok[*codec.Set](t)(codec.NewSet(keys["new"]))}, true},
		"one that seals, with both":        {client.Config{Codecs: ok[*codec.Set](t)(codec.NewSet(keys["new"], keys["old"]))}, false},
		"one in the process, without":      {client.Config{Changed: changed}, true},
		"an operator's":                    {client.Config{Codecs: ok[*codec.Set](t)(codec.NewSet(nil, gzip.New()))}, false},
	} {
		sent := &sentTo{}
		c.config.Store, c.config.Queue = e.Store(), sent
		other := ok[*client.Client](t)(client.New(c.config))
		for _, as := range []string{"", "k"} {
			for _, dry := range []bool{true, false} {
				before := len(sent.bodies)
				_, err := other.Redrive(e.ctx, client.RedriveRequest{Instance: "j", As: as, DryRun: dry})
				unknown, is := errors.AsType[*codec.UnknownError](err)
				if is != c.gone || is && (unknown.Codec != "aesgcm:old" || !strings.Contains(err.Error(), `instance "j" execution 1`)) || !is && err != nil {
					t.Errorf("%s, as %q, dry %t: %v", name, as, dry, err)
				}
				if n := len(sent.bodies) - before; (n > 0) != (!c.gone && !dry) {
					t.Errorf("%s, as %q, dry %t: it sent %d", name, as, dry, n)
				}
			}
		}
	}
}

// A client on AWS gets the code of the stack with WithApp; without it, it sends.
func TestO10AClientThatHasTheCodeReplaysItBeforeItSends(t *testing.T) {
	t.Parallel()
	job, parts := sumOfWork(func(in int) bool { return in == 2 })
	e := start(t, parts...)
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, job, 2, client.WithInstanceID("j")))
	if _, err := run.Wait(e.ctx); err == nil {
		t.Fatal("it did not fail")
	}
	sent := &sentTo{}
	bare := ok[*client.Client](t)(client.New(client.Config{Store: e.Store(), Queue: sent}))
	other := turnstile.NewApp(job.Implement(func(turnstile.Context, int) (int, error) { return 0, nil }))
	for _, as := range []string{"", "k"} {
		for _, c := range []struct {
			what string
			by   *client.Client
			kind string
		}{
			{"without the code", bare, ""},
			{"with the code", bare.WithApp(turnstile.NewApp(parts...)), ""},
			{"with other code", bare.WithApp(other), "nondeterminism"},
			{"with an application that lacks it", bare.WithApp(turnstile.NewApp()), "not_registered"},
		} {
			before := len(sent.bodies)
			_, err := c.by.Redrive(e.ctx, client.RedriveRequest{Instance: "j", As: as})
			refused, is := errors.AsType[*client.RedriveError](err)
			if is != (c.kind != "") || is && (refused.Stuck == nil || refused.Stuck.Kind != c.kind) || !is && err != nil {
				t.Errorf("%s, as %q: %v", c.what, as, err)
			}
			if n := len(sent.bodies) - before; (n == 1) != (c.kind == "") {
				t.Errorf("%s, as %q: it sent %d", c.what, as, n)
			}
		}
	}
}

// What came later and stays is committed in one transaction. A redrive that keeps too much is refused
// at the call, with what to do; what it takes over may be larger.
func TestO10ARedriveThatKeepsTooMuchSaysWhatToDo(t *testing.T) {
	t.Parallel()
	var (
		big  = strings.Repeat("x", 250<<10)
		flow = turnstile.NewOrchestration[bool, string]("Flow")
		load = turnstile.NewActivity[int, string]("Load")
		last = turnstile.NewActivity[int, string]("Last")
		page = turnstile.NewEvent[string]("page")
	)
	var mended atomic.Bool
	e := start(t,
		load.Implement(func(context.Context, int) (string, error) { return big, nil }),
		last.Implement(func(context.Context, int) (string, error) {
			if !mended.Load() {
				return "", turnstile.NonRetryable(errors.New("broken"))
			}
			return "done", nil
		}),
		flow.Implement(func(ctx turnstile.Context, loads bool) (string, error) {
			for i := range 14 {
				var err error
				if loads {
					_, err = load.Call(ctx, i)
				} else {
					_, err = page.Wait(ctx)
				}
				if err != nil {
					return "", err
				}
			}
			return last.Call(ctx, 1)
		}))
	for _, loads := range []bool{true, false} {
		id := fmt.Sprint("loads-", loads)
		run := ok[*client.Run[string]](t)(client.Start(e.ctx, e.client, flow, loads, client.WithInstanceID(id)))
		for i := range 14 {
			if !loads {
				if err := e.client.Raise(e.ctx, client.RaiseRequest{Instance: id, Name: "page", Data: []byte(`"` + big + `"`), DeduplicationID: fmt.Sprint("p", i)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := run.Wait(e.ctx); err == nil {
			t.Fatal("it did not fail")
		}
		if d := ok[client.Redriven](t)(e.client.Redrive(e.ctx, client.RedriveRequest{Instance: id, DryRun: true})); d.CopiedEvents < 29 {
			t.Errorf("%s: the dry run is %+v", id, d)
		}
		_, err := e.client.Redrive(e.ctx, client.RedriveRequest{Instance: id, From: 2, DryRun: true})
		refused, is := errors.AsType[*client.RedriveError](err)
		if is == loads || is && !strings.Contains(refused.Problem, "restart it, or name a later event") {
			t.Errorf("%s from event 2: %v", id, err)
		}
	}
	mended.Store(true)
	for _, id := range []string{"loads-true", "loads-false"} {
		run := client.Attach(e.client, flow, id)
		redriven := ok[client.Redriven](t)(e.client.Redrive(e.ctx, client.RedriveRequest{Instance: id}))
		run.StartID, run.PreviousExecution = redriven.StartID, redriven.PreviousExecution
		if out := ok[string](t)(run.Wait(e.ctx)); out != "done" {
			t.Errorf("%s gave %q", id, out)
		}
	}
}
