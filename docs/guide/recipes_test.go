package guide_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"net/http/httptest"
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

// answer is behind the form that the link in the mail leads to.
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
	env.RunUntil(turnstiletest.Blocked())
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

// worker is what the main of the activity function hands to awslambda.RunActivities.
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
