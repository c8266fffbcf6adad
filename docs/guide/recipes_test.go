package guide_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// Inline activities and polling.

var Resize = turnstile.NewActivity[string, string]("Resize").With(turnstile.CommitEvery(50))

func resizeAll(ctx turnstile.Context, pictures []string) (int, error) {
	for i, p := range pictures {
		if _, err := Resize.Inline(ctx, p); err != nil {
			return i, err
		}
	}
	return len(pictures), nil
}

func render(ctx turnstile.Context, film string) (Job, error) {
	id, err := Render.Call(ctx, film)
	if err != nil {
		return Job{}, err
	}
	return turnstile.Poll(ctx, JobStatus.Call, id, Job.Finished, turnstile.PollPolicy{
		InitialInterval: 10 * time.Second, MaxInterval: 5 * time.Minute, MaxAttempts: 100,
	})
}

type Job struct{ State string }

func (j Job) Finished() bool { return j.State == "finished" }

var (
	Render    = turnstile.NewActivity[string, string]("Render")
	JobStatus = turnstile.NewActivity[string, Job]("JobStatus")
	ResizeAll = turnstile.NewOrchestration[[]string, int]("ResizeAll")
	Film      = turnstile.NewOrchestration[string, Job]("Film")
)

func TestInlineActivitiesAndPolling(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(ResizeAll.Implement(resizeAll), Film.Implement(render),
		Resize.Implement(func(_ context.Context, p string) (string, error) { return p, nil })))
	if n, err := turnstiletest.Start(env, ResizeAll, make([]string, 120)).Wait(); err != nil || n != 120 {
		t.Errorf("%d pictures, %v", n, err)
	}
	looks := 0
	turnstiletest.On(env, Render).Return("job-1", nil)
	turnstiletest.On(env, JobStatus).Do(func(context.Context, string) (Job, error) {
		if looks++; looks < 4 {
			return Job{"running"}, nil
		}
		return Job{"finished"}, nil
	})
	if job, err := turnstiletest.Start(env, Film, "a").Wait(); err != nil || !job.Finished() || looks != 4 {
		t.Errorf("after %d looks it is %+v, %v", looks, job, err)
	}
}

// Approval through API Gateway.

var Ask = turnstile.NewActivity[string, Decision]("Ask")

type Decision struct{ Approved bool }

// answer handles the form to which the link in the mail leads.
func answer(c *client.Client) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		decision := Decision{Approved: r.PostFormValue("answer") == "yes"}
		err := client.Complete(r.Context(), c, Ask, r.PostFormValue("token"), decision)
		var late *client.NotPendingError
		var wrong *client.TokenError
		switch {
		case errors.As(err, &late):
			http.Error(w, "This was answered before, or is no longer asked.", http.StatusGone)
		case errors.As(err, &wrong):
			http.Error(w, "This link is not complete.", http.StatusNotFound)
		case err != nil:
			http.Error(w, "Please try again.", http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}
}

func TestALinkIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[string, Decision]("Flow")
	tokens := make(chan string, 1)
	env := turnstiletest.New(t, turnstile.NewApp(
		flow.Implement(func(ctx turnstile.Context, what string) (Decision, error) { return Ask.Call(ctx, what) }),
		Ask.Implement(func(ctx context.Context, _ string) (Decision, error) {
			tokens <- turnstile.ActivityInfo(ctx).CompletionToken
			return Decision{}, turnstile.ErrPending
		})))
	run := turnstiletest.Start(env, flow, "a desk")
	env.RunUntil(turnstiletest.Idle())
	post := func(token string) int {
		r := httptest.NewRequest(http.MethodPost, "/?answer=yes", nil)
		r.PostForm = map[string][]string{"token": {token}, "answer": {"yes"}}
		w := httptest.NewRecorder()
		answer(env.Client())(w, r)
		return w.Code
	}
	token := <-tokens
	if code := post("nonsense"); code != http.StatusNotFound {
		t.Errorf("nonsense gives %d", code)
	}
	if code := post(token); code != http.StatusNoContent {
		t.Errorf("the answer gives %d", code)
	}
	if got, err := run.Wait(); err != nil || !got.Approved {
		t.Errorf("it ended with %+v, %v", got, err)
	}
	if code := post(token); code != http.StatusGone {
		t.Errorf("a second answer gives %d", code)
	}
}

// Activities that need a database client.

type payments struct{ db *sql.DB }

func (p payments) charge(ctx context.Context, o Order) (string, error) {
	key := turnstile.ActivityInfo(ctx).IdempotencyKey
	_, err := p.db.ExecContext(ctx, `INSERT INTO charges (id, order_id, amount) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`,
		key, o.ID, o.Amount)
	return key, err
}

// worker returns the application that the activity function's main passes to awslambda.RunActivities.
func worker(db *sql.DB) *turnstile.App {
	db.SetMaxOpenConns(2)
	return turnstile.NewApp(Charge.Implement(payments{db}.charge))
}

func TestTheWorkerHasTheActivity(t *testing.T) {
	t.Parallel()
	db := sql.OpenDB(nil)
	defer db.Close()
	if err := worker(db).Err(); err != nil {
		t.Error(err)
	}
}

// The newest of several inputs.

var (
	IndexDocument = turnstile.NewOrchestration[turnstile.None, turnstile.None]("IndexDocument")
	Changed       = turnstile.NewEvent[string]("changed")
	Index         = turnstile.NewActivity[string, turnstile.None]("Index")
)

func indexDocument(ctx turnstile.Context, _ turnstile.None) (turnstile.None, error) {
	text, err := Changed.Wait(ctx)
	for more := true; more && err == nil; {
		latest := turnstile.Now(ctx).Add(10 * time.Minute)
		for err == nil {
			var newer string
			quiet := min(time.Minute, latest.Sub(turnstile.Now(ctx)))
			if newer, err = Changed.WaitTimeout(ctx, max(quiet, 0)); err == nil {
				text = newer
			}
		}
		if _, quiet := errors.AsType[*turnstile.TimeoutError](err); !quiet {
			return turnstile.None{}, err
		}
		if _, err = Index.Call(ctx, text); err == nil {
			text, more, err = Changed.TryWait(ctx)
		}
	}
	return turnstile.None{}, err
}

// changed starts the work, or sends it a newer input.
func changed(ctx context.Context, c *client.Client, document, text string) error {
	_, err := client.Start(ctx, c, IndexDocument.With(turnstile.InstanceID("index "+document)), turnstile.None{},
		client.UseExisting(), client.AllowRestart(), client.WithEvent(Changed, text))
	return err
}

func TestInputsThatComeCloseTogetherAreOneWork(t *testing.T) {
	t.Parallel()
	var indexed []string
	var during func(text string)
	env := turnstiletest.New(t, turnstile.NewApp(IndexDocument.Implement(indexDocument), Index.Implement(func(_ context.Context, text string) (turnstile.None, error) {
		indexed = append(indexed, text)
		during(text)
		return turnstile.None{}, nil
	})))
	change := func(text string) {
		if err := changed(t.Context(), env.Client(), "d", text); err != nil {
			t.Error(err)
		}
	}
	during = func(text string) {
		if text == "c" { // two changes while the work runs
			change("d")
			change("e")
		}
	}
	for _, text := range []string{"a", "b", "c"} {
		change(text)
		env.Advance(40 * time.Second)
	}
	if len(indexed) != 0 {
		t.Errorf("%q were indexed before it was quiet", indexed)
	}
	env.Advance(time.Hour)
	if got := strings.Join(indexed, " "); got != "c e" {
		t.Errorf("indexed are %q, want c and e", got)
	}
	for i := range 20 { // at once
		change(fmt.Sprint("x", i))
	}
	env.Advance(2 * time.Minute)
	if got := strings.Join(indexed, " "); got != "c e x19" {
		t.Errorf("indexed are %q two minutes after twenty changes", got)
	}
	indexed = indexed[:2]
	for i := range 30 { // never quiet, for 15 minutes
		change(fmt.Sprint(i))
		env.Advance(30 * time.Second)
	}
	env.Advance(time.Hour)
	if got := strings.Join(indexed, " "); got != "c e 19 29" && got != "c e 20 29" {
		t.Errorf("indexed are %q: the second run is late, or has not the newest input", got)
	}
}
