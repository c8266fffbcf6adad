package timertest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/timer"
)

// Harness connects the suite to an implementation.
type Harness struct {
	// Open returns a new timer without schedules. It registers its cleanup with
	// t.Cleanup.
	Open func(t *testing.T) Opened
	// Within runs the body of a test, for example in a synctest bubble. If it is nil,
	// the suite calls the body directly.
	Within func(t *testing.T, body func(t *testing.T))
	// Soon is how far ahead the suite sets its due times: longer than it takes
	// to create a hundred schedules.
	Soon time.Duration
	// Precision is how early a delivery may come: at most the service's rounding of due
	// times.
	Precision time.Duration
}

// Opened is a timer under test.
type Opened struct {
	timer.Timer
	// Next waits for the next delivery and returns its body and group; ok is false if
	// none came within the wait.
	Next func(wait time.Duration) (body, group string, ok bool)
}

// enough is how long the suite waits for a delivery that must come. Only a failing test
// takes that long.
const enough = 10 * time.Minute

// quiet is how long the suite waits for a delivery that must not come.
const quiet = 3 * time.Second

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	if h.Within == nil {
		h.Within = func(t *testing.T, body func(*testing.T)) { body(t) }
	}
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			h.Within(t, func(t *testing.T) { s.run(t, h, h.Open(t)) })
		})
	}
}

type scenario struct {
	name string
	run  func(t *testing.T, h Harness, o Opened)
}

var scenarios = []scenario{
	{"a schedule delivers its body under its group, not before it is due", func(t *testing.T, h Harness, o Opened) {
		s := timer.Schedule{Name: timer.Name("order/1 ü", 1, 7, 5), Due: time.Now().Add(h.Soon), Body: `{"v":1,"kind":"TimerFired","text":"\"ü\" <&> \\"}`, Group: "order-1"}
		schedule(t, o, s)
		body, group := next(t, o)
		if early := time.Until(s.Due); early > h.Precision {
			t.Errorf("delivered %s before it was due", early)
		}
		if body != s.Body || group != s.Group {
			t.Errorf("delivered %q to group %q, want %q to %q", body, group, s.Body, s.Group)
		}
		nothing(t, o)
	}},
	{"T-04 a schedule that exists is success and is delivered once", func(t *testing.T, h Harness, o Opened) {
		s := timer.Schedule{Name: "twice", Due: time.Now().Add(h.Soon), Body: "first", Group: "a"}
		schedule(t, o, s, s)
		s.Body = "second"
		schedule(t, o, s)
		if body, _ := next(t, o); body != "first" {
			t.Errorf("delivered %q, want the first", body)
		}
		nothing(t, o)
	}},
	{"T-04 a hundred schedules with one due time are delivered, each once", func(t *testing.T, h Harness, o Opened) {
		due := time.Now().Add(h.Soon)
		var want, got []string
		for i := range 100 {
			s := timer.Schedule{Name: timer.Name("order", 1, int64(i), 5), Due: due, Body: fmt.Sprintf("body-%03d", i), Group: "a"}
			want = append(want, s.Body)
			schedule(t, o, s)
		}
		for range want {
			body, _ := next(t, o)
			got = append(got, body)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("delivered %q, want each of %d once", got, len(want))
		}
		nothing(t, o)
	}},
	{"T-06 a due time in the past is delivered at once or refused with ErrPast", func(t *testing.T, h Harness, o Opened) {
		err := o.Schedule(t.Context(), timer.Schedule{Name: "past", Due: time.Now().Add(-time.Hour), Body: "late", Group: "a"})
		if errors.Is(err, timer.ErrPast) {
			nothing(t, o)
			return
		}
		if err != nil {
			t.Fatalf("Schedule: %v", err)
		}
		if body, _ := next(t, o); body != "late" {
			t.Errorf("delivered %q", body)
		}
		nothing(t, o)
	}},
	{"T-07 a cancelled schedule is not delivered", func(t *testing.T, h Harness, o Opened) {
		due := time.Now().Add(h.Soon)
		schedule(t, o,
			timer.Schedule{Name: "cancelled", Due: due, Body: "cancelled", Group: "a"},
			timer.Schedule{Name: "kept", Due: due.Add(time.Second), Body: "kept", Group: "a"},
		)
		cancel(t, o, "cancelled")
		if body, _ := next(t, o); body != "kept" {
			t.Errorf("delivered %q", body)
		}
		nothing(t, o)
	}},
	{"T-07 cancelling what is not there, or no longer, is success", func(t *testing.T, h Harness, o Opened) {
		cancel(t, o, "never-there")
		schedule(t, o, timer.Schedule{Name: "fired", Due: time.Now().Add(h.Soon), Body: "it", Group: "a"})
		next(t, o)
		cancel(t, o, "fired")
		schedule(t, o, timer.Schedule{Name: "cancelled", Due: time.Now().Add(time.Hour), Body: "it", Group: "a"})
		cancel(t, o, "cancelled")
		cancel(t, o, "cancelled")
	}},
	{"a cancelled name can be scheduled again", func(t *testing.T, h Harness, o Opened) {
		schedule(t, o, timer.Schedule{Name: "name", Due: time.Now().Add(time.Hour), Body: "old", Group: "a"})
		cancel(t, o, "name")
		schedule(t, o, timer.Schedule{Name: "name", Due: time.Now().Add(h.Soon), Body: "new", Group: "a"})
		if body, _ := next(t, o); body != "new" {
			t.Errorf("delivered %q", body)
		}
	}},
	{"a schedule that can't be is refused with a typed error", func(t *testing.T, h Harness, o Opened) {
		due := time.Now().Add(time.Hour)
		for field, schedules := range map[string][]timer.Schedule{
			"name": {
				{Due: due, Body: "x"},
				{Name: "a/b", Due: due, Body: "x"},
				{Name: "ü", Due: due, Body: "x"},
				{Name: strings.Repeat("n", timer.MaxName+1), Due: due, Body: "x"},
			},
			"due":  {{Name: "n", Body: "x"}},
			"body": {{Name: "n", Due: due}, {Name: "n", Due: due, Body: strings.Repeat("x", timer.MaxBody+1)}, {Name: "n", Due: due, Body: "\xff"}},
		} {
			for _, s := range schedules {
				err := o.Schedule(t.Context(), s)
				var invalid *timer.InvalidScheduleError
				if !errors.As(err, &invalid) || invalid.Field != field {
					t.Errorf("Schedule named %q: %v; want an InvalidScheduleError for the %s", s.Name, err, field)
				}
			}
		}
	}},
}

func schedule(t *testing.T, o Opened, schedules ...timer.Schedule) {
	t.Helper()
	for _, s := range schedules {
		if err := o.Schedule(t.Context(), s); err != nil {
			t.Fatalf("Schedule %q: %v", s.Name, err)
		}
	}
}

func cancel(t *testing.T, o Opened, name string) {
	t.Helper()
	if err := o.Cancel(t.Context(), name); err != nil {
		t.Fatalf("Cancel %q: %v", name, err)
	}
}

func next(t *testing.T, o Opened) (body, group string) {
	t.Helper()
	body, group, ok := o.Next(enough)
	if !ok {
		t.Fatalf("no delivery within %s", enough)
	}
	return body, group
}

func nothing(t *testing.T, o Opened) {
	t.Helper()
	if body, _, ok := o.Next(quiet); ok {
		t.Fatalf("delivered %q where nothing may come", body)
	}
}
