package console_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
)

// While an activity is tried again, each failed attempt is told with its error and times;
// of one that has ended the last stands in the history.
func TestAttemptsOfAnActivityAreReported(t *testing.T) {
	t.Parallel()
	b := looking(t)
	tl := get[api.Timeline](b, path(demo.ManyAttempts)+"/timeline")
	row := tl.Rows[len(tl.Rows)-1]
	got := get[api.Attempts](b, fmt.Sprintf("%s/executions/current/events/%d/attempts", path(demo.ManyAttempts), row.EventID))
	if got.Name != "CallShop" || got.State != "open" || got.MaxAttempts != 5 || got.Kept == "" || got.NotRead != "" || len(got.Attempts) != row.Attempt || row.Attempt < 3 {
		t.Fatalf("of %+v the attempts are %+v", row, got)
	}
	for i, a := range got.Attempts {
		if a.Number != i+1 {
			t.Errorf("attempt %d is told as the one of number %d", a.Number, i+1)
		}
		if i == len(got.Attempts)-1 {
			if a.State != "waiting" || !a.DueAt.After(got.Now) || a.Failure != nil {
				t.Errorf("the next is %+v", a)
			}
			continue
		}
		if a.State != "failed" || a.Failure == nil || a.Failure.Message != "shop: 503 Service Unavailable (upstream connect error)" || a.StartedAt.IsZero() || a.EndedAt.Before(a.StartedAt) || a.Recorded {
			t.Errorf("attempt %d is %+v", i+1, a)
		}
	}

	done := get[api.Timeline](b, path(demo.Completed)+"/timeline")
	for _, r := range done.Rows {
		at := fmt.Sprintf("api/v1/%s/executions/%d/events/%d/attempts", path(demo.Completed), r.ExecutionID, r.EventID)
		if r.Kind != "activity" && r.Kind != "inline" {
			b.do(http.MethodGet, at, nil).fails(api.CodeNotFound)
			continue
		}
		if one := into[api.Attempts](b.do(http.MethodGet, at, nil)); len(one.Attempts) != 1 || one.Attempts[0].State != "done" || !one.Attempts[0].Recorded {
			t.Errorf("%s has the attempts %+v", r.Name, one.Attempts)
		}
	}
	b.do(http.MethodGet, "api/v1/"+path(demo.Completed)+"/executions/current/events/9999/attempts", nil).fails(api.CodeNotFound)
	b.do(http.MethodGet, "api/v1/"+path(demo.Completed)+"/executions/current/events/x/attempts", nil).fails(api.CodeInvalid)
}
