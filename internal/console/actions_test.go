package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/internal/wire"
)

func TestAnInstanceFromStartToPurge(t *testing.T) {
	t.Parallel()
	b, c := running(t, console.WithActor(func(r *http.Request) string { return "login " + r.Header.Get("X-User") }))
	input, err := json.Marshal(demo.Order("1", 1))
	if err != nil {
		t.Fatal(err)
	}
	started := post[client.Started](b, "instances", client.StartRequest{Name: "Fulfil", Instance: "order/1", DeduplicationID: "s-1", Input: input,
		SearchAttributes: turnstile.SearchAttributes{"customer": turnstile.SearchString("ada")}, Headers: map[string]string{"tenant": "x"},
		Events: []wire.StartEvent{{Name: "spare", Data: json.RawMessage(`1`)}}})
	if started.Instance != "order/1" || started.StartID != "s-1" {
		t.Errorf("started is %+v", started)
	}
	path := "instances/" + segment("order/1")
	f := b.follow("instance=order%2F1")
	until(f, "instance", func(i api.LiveInstance) bool { return i.LastEventID > 5 })
	b.do("POST", "api/v1/instances", `{"name":"Fulfil","instance":"order/1"}`).fails(api.CodeAlreadyExists, "running", "s-1")
	b.do("POST", "api/v1/"+path+"/purge", "{}").fails(api.CodeStillRunning, "Force")
	long := client.StartRequest{Name: "Fulfil", Events: []wire.StartEvent{{Name: strings.Repeat("x", 300)}}}
	if a := b.do("POST", "api/v1/instances", long); a.Code != http.StatusBadRequest {
		t.Errorf("an event name of 300 bytes is answered with %d", a.Code)
	} else {
		a.fails(api.CodeInvalid, "event name", "256")
	}
	b.do("POST", "api/v1/instances", `{"name":"a\u0000b"}`).fails(api.CodeInvalid, "name")
	b.do("POST", "api/v1/instances", `{"name":"F","search_attributes":{"1":"x"}}`).fails(api.CodeInvalid, "search attribute")
	b.do("POST", "api/v1/"+path+"/raise", `{"name":"approved"}`, console.ActorHeader, "somebody else").fails(api.CodeInvalid, console.ActorHeader, "leave it out")
	if s := post[api.Sent](b, path+"/raise", api.Raise{Name: "Approved", DryRun: true}); len(s.Notes) != 1 || !strings.Contains(s.Notes[0], `did you mean "approved"?`) {
		t.Errorf("a dry run says %q", s.Notes)
	}
	spare := []client.UnconsumedEvent{{EventID: 2, Name: "spare"}}
	waits := get[api.PendingOperations](b, path+"/waiting-for")
	if len(waits.UnconsumedEvents) == 1 {
		spare[0].At, spare[0].SenderID, spare[0].Actor = waits.UnconsumedEvents[0].At, waits.UnconsumedEvents[0].SenderID, waits.UnconsumedEvents[0].Actor
	}
	if !slices.Equal(waits.UnconsumedEvents, spare) {
		t.Errorf("not taken: %+v", waits.UnconsumedEvents)
	}
	post[api.Sent](b, path+"/wake", api.Nothing{})
	b.do("POST", "api/v1/"+path+"/raise", `{"name":"approved","data":{"by":"Grace"},"sender_id":"r-1"}`, "X-User", "grace")
	if d, err := c.Wait(t.Context(), "order/1"); err != nil || d.Status != client.StatusCompleted {
		t.Fatalf("%+v, %v", d, err)
	}
	actors := ""
	for _, e := range get[api.Events](b, path+"/executions/current/events").Events {
		actors += e.Actor + ";"
	}
	if !strings.Contains(actors, "login grace;") {
		t.Errorf("on behalf of %q", actors)
	}
	for _, verb := range []string{"cancel", "terminate"} {
		b.do("POST", "api/v1/"+path+"/"+verb, "{}").fails(api.CodeEnded, "completed")
	}
	post[api.Sent](b, path+"/wake", api.Nothing{}) // What its end has sent may have been lost.
	post[api.Sent](b, path+"/purge", api.Purge{})
	until(f, "gone", func(g api.LiveGone) bool { return true })
	if e := b.do("POST", "api/v1/instances", `{"name":"Fulfil","instance":"order/1"}`).fails(api.CodePurged, "order/1", "can be reused from"); e.FreeAt.IsZero() {
		t.Errorf("it does not say when the id is free: %+v", e)
	}
	if e := b.do("GET", "api/v1/instances/order%2F1", nil).fails(api.CodeNotFound); e.FreeAt.IsZero() {
		t.Errorf("it does not say when the id is free: %+v", e)
	}
	b.do("GET", "api/v1/"+path, nil).fails(api.CodeNotFound)
	b.do("POST", "api/v1/instances/none/purge", "{}").fails(api.CodeNotFound)
	post[api.Sent](b, path+"/purge", api.Purge{}) // Its deletion may have been lost.
	if sent := post[api.Sent](b, "instances/none/cancel", api.End{Reason: "x"}); !sent.NoRecord {
		t.Error("a cancel without a record does not say so")
	}
}

func TestAnInstanceIsSuspendedAndResumed(t *testing.T) {
	t.Parallel()
	b, c := running(t)
	input, err := json.Marshal(demo.Order("held", 1))
	if err != nil {
		t.Fatal(err)
	}
	post[client.Started](b, "instances", client.StartRequest{Name: "Fulfil", Instance: "held", Input: input})
	until(b.follow("instance=held"), "instance", func(i api.LiveInstance) bool { return i.LastEventID > 5 })
	post[api.Sent](b, "instances/held/suspend", api.End{Reason: "the bank is down"})
	until(b.follow("instance=held"), "instance", func(i api.LiveInstance) bool { return i.Instance.Status == client.StatusSuspended })
	if i := get[api.Instance](b, "instances/held"); i.Suspension == nil || i.Suspension.Reason != "the bank is down" {
		t.Errorf("it is %+v", i)
	}
	if found := list(b, "status", "suspended").Instances; len(found) != 1 || found[0].Suspension == nil {
		t.Errorf("suspended are %+v", found)
	}
	post[api.Sent](b, "instances/held/resume", api.End{})
	until(b.follow("instance=held"), "instance", func(i api.LiveInstance) bool { return i.Instance.Status != client.StatusSuspended })
	if d, err := c.Describe(t.Context(), "held"); err != nil || d.Suspension != nil {
		t.Errorf("it is %+v, %v", d, err)
	}
}

func TestATimerIsFiredEarly(t *testing.T) {
	t.Parallel()
	b, c := running(t, console.WithActor(func(*http.Request) string { return "ada" }))
	input, err := json.Marshal(demo.Order("late", 1))
	if err != nil {
		t.Fatal(err)
	}
	post[client.Started](b, "instances", client.StartRequest{Name: "Fulfil", Instance: "late", Input: input})
	var timer api.WaitingOperation
	until(b.follow("instance=late"), "instance", func(api.LiveInstance) bool {
		for _, o := range get[api.PendingOperations](b, "instances/late/waiting-for").Operations {
			if o.Kind == "timer" {
				timer = o
			}
		}
		return timer.EventID > 0
	})
	if s := post[api.Sent](b, "instances/late/fire-timer", api.Early{EventID: timer.EventID, DryRun: true}); !s.DueAt.Equal(timer.DueAt) || s.DueAt.IsZero() {
		t.Errorf("a dry run says %+v of %+v", s, timer)
	}
	b.do("POST", "api/v1/instances/late/fire-timer", api.Early{EventID: 1}).fails(api.CodeNotPending, "is not an open timer")
	b.do("POST", "api/v1/instances/late/reschedule", api.Reschedule{At: timer.DueAt.AddDate(1, 0, 0)}).fails(api.CodeNotPending, "not suspended")
	b.do("POST", "api/v1/instances/none/fire-timer", api.Early{EventID: 1}).fails(api.CodeNotFound)
	post[api.Sent](b, "instances/late/fire-timer", api.Early{EventID: timer.EventID, Reason: "no longer"})
	if _, err := c.Wait(t.Context(), "late"); err != nil {
		t.Fatal(err)
	}
	var fired []api.Event
	for _, e := range get[api.Events](b, "instances/late/executions/current/events").Events {
		if e.Kind == "TimerFired" && e.SourceEventID == timer.EventID {
			fired = append(fired, e)
		}
	}
	if len(fired) != 1 || fired[0].Actor != "ada" || fired[0].Reason != "no longer" || fired[0].SenderID == "" || !fired[0].FireAt.Equal(timer.DueAt) {
		t.Errorf("it is recorded as %+v", fired)
	}
}

func TestAnInstanceIsCancelledAndTerminated(t *testing.T) {
	t.Parallel()
	b, c := running(t)
	for verb, want := range map[string]client.Status{"cancel": client.StatusCancelled, "terminate": client.StatusTerminated} {
		input, err := json.Marshal(demo.Order(verb, 1))
		if err != nil {
			t.Fatal(err)
		}
		post[client.Started](b, "instances", client.StartRequest{Name: "Fulfil", Instance: verb, Input: input})
		until(b.follow("instance="+verb), "instance", func(i api.LiveInstance) bool { return i.LastEventID > 5 })
		post[api.Sent](b, "instances/"+verb+"/"+verb, api.End{Reason: "because"})
		if d, err := c.Wait(t.Context(), verb); err != nil || d.Status != want || !strings.Contains(d.Failure.Message, "because") {
			t.Errorf("%s: %+v, %v", verb, d.Failure, err)
		}
	}
}

func TestAnActivityIsCompletedFailedAndKeptAliveByItsToken(t *testing.T) {
	t.Parallel()
	b, c := running(t)
	for i, verb := range []string{"complete", "fail"} {
		id := fmt.Sprint("pending-", i)
		if _, err := client.Start(t.Context(), c, demo.Sign, id, client.WithInstanceID(id)); err != nil {
			t.Fatal(err)
		}
		token := <-b.tokens
		post[api.Sent](b, "activities/heartbeat", api.HeartbeatActivity{PendingActivity: api.PendingActivity{Token: token}, Details: json.RawMessage(`{"page":3}`)})
		switch verb {
		case "complete":
			post[api.Sent](b, "activities/complete", api.CompleteActivity{PendingActivity: api.PendingActivity{Token: token}, Result: json.RawMessage(`"signed"`)})
		case "fail":
			b.do("POST", "api/v1/activities/fail", api.FailActivity{PendingActivity: api.PendingActivity{Token: token}}).fails(api.CodeInvalid, "message")
			post[api.Sent](b, "activities/fail", api.FailActivity{PendingActivity: api.PendingActivity{Token: token}, Message: "no ink", Code: "ink", Details: json.RawMessage(`{"colour":"blue"}`)})
		}
		d, err := c.Wait(t.Context(), id)
		switch {
		case err != nil:
			t.Fatal(err)
		case verb == "complete" && string(d.Output) != `"signed"`:
			t.Errorf("completed with %s", d.Output)
		case verb == "fail" && (d.Failure == nil || d.Failure.Code != "ink" || !strings.Contains(d.Failure.Message, "no ink")):
			t.Errorf("failed with %+v", d.Failure)
		}
		// Who comes second is told what came first.
		a := b.do("POST", "api/v1/activities/complete", api.CompleteActivity{PendingActivity: api.PendingActivity{Token: token}})
		a.fails(api.CodeNotPending, "it was completed at event")
		if strings.Contains(a.Body.String(), token) {
			t.Error("the error has the token")
		}
	}
	for _, token := range []string{"", "nonsense"} {
		b.do("POST", "api/v1/activities/complete", api.CompleteActivity{PendingActivity: api.PendingActivity{Token: token}}).fails(api.CodeBadToken)
	}
}

func TestManyAreWokenAtOnce(t *testing.T) {
	t.Parallel()
	b := looking(t, console.AllowActions())
	stuck := post[api.WokenMany](b, "wake", api.WakeMany{Status: "stuck", Problem: "nondeterminism"})
	if len(stuck.Sent) != 1 || stuck.Sent[0] != demo.Nondeterminism || stuck.More {
		t.Errorf("of the stuck %+v", stuck)
	}
	all := post[api.WokenMany](b, "wake", api.WakeMany{Status: "stuck"})
	named := post[api.WokenMany](b, "wake", api.WakeMany{Instances: []string{demo.Waiting, demo.Completed, "nobody"}})
	if len(all.Sent) != 3 || len(named.Sent) != 2 || len(named.Failed) != 1 || named.Failed[0].Error.Code != api.CodeNotFound {
		t.Errorf("all are %+v, of those named %+v", all, named)
	}
	for _, body := range []string{`{}`, `{"status":"running"}`, `{"instances":["a"],"status":"stuck"}`} {
		b.do("POST", "api/v1/wake", body).fails(api.CodeInvalid)
	}
	b.do("POST", "api/v1/wake", api.WakeMany{Instances: make([]string, 501)}).fails(api.CodeTooLarge)
}

func TestARequestNamesItsActorIfTheProgramDoesNot(t *testing.T) {
	t.Parallel()
	b, c := running(t)
	input, err := json.Marshal(demo.Order("1", 1))
	if err != nil {
		t.Fatal(err)
	}
	if a := b.do("POST", "api/v1/instances", client.StartRequest{Name: "Fulfil", Instance: "order-1", Input: input}, console.ActorHeader, "Ada Lovelace"); a.Code != http.StatusOK {
		t.Fatalf("%+v", a)
	}
	if err := client.Attach(c, turnstile.NewOrchestration[json.RawMessage, json.RawMessage]("Fulfil"), "order-1").WaitStarted(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := get[api.Events](b, "instances/order-1/executions/current/events").Events; e[0].Actor != "Ada Lovelace" {
		t.Errorf("it was started on behalf of %q", e[0].Actor)
	}
	b.do("POST", "api/v1/instances/order-1/cancel", "{}", console.ActorHeader, strings.Repeat("x", 300)).fails(api.CodeInvalid, "actor")
}
