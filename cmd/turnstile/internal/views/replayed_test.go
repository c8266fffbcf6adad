package views_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/history"
)

func TestAReplaySaysWhetherCodeAndHistoryAgree(t *testing.T) {
	t.Parallel()
	one := history.Export{Instance: "order\x1b[2J", ExecutionID: 1, Events: make([]history.Event, 3)}
	two := history.Export{Instance: "order\x1b[2J", ExecutionID: 2, Events: make([]history.Event, 4)}
	for _, c := range []struct {
		about   string
		exports []history.Export
		agrees  bool
		problem string
		want    string
	}{
		{"one execution", []history.Export{one}, true, "", "ok: the code here agrees with 3 events of order�[2J (1 execution)\n"},
		{"several", []history.Export{one, two}, true, "", "ok: the code here agrees with 7 events of order�[2J (2 executions)\n"},
		{"a problem of several lines", []history.Export{one}, false, "event 2: history has Charge\n  code did Ship\x1b[2J", "event 2: history has Charge\n  code did Ship�[2J\n"},
	} {
		r := views.ReplayedOf(c.exports, c.agrees, c.problem)
		if got := shown(80, func(s *term.Screen) { views.Replayed(s, &r, c.exports) }); got != c.want {
			t.Errorf("%s: printed is %q, want %q", c.about, got, c.want)
		}
		if len(r.Executions) != len(c.exports) || r.Executions[len(r.Executions)-1] != int64(len(c.exports)) || r.Agrees != c.agrees || r.Problem != c.problem {
			t.Errorf("%s: it is %+v", c.about, r)
		}
	}
}

func TestAReplaySaysAtWhichLineTheCodeWaits(t *testing.T) {
	t.Parallel()
	one := []history.Export{{Instance: "order-7", ExecutionID: 1, Events: make([]history.Event, 3)}}
	r := views.ReplayedOf(one, true, "booting\nturnstile waits {\"instance\":\"order-7\",\"execution_id\":1,\"event_id\":3,\"branches\":[{\"file\":\"/app/order.go\",\"line\":41,\"events\":[2,3],\"branches\":1},{\"file\":\"/app/order.go\",\"line\":17}]}\nturnstile waits nonsense\n")
	want := "ok: the code here agrees with 3 events of order-7 (1 execution)\nwaits at /app/order.go:41 for event 2, event 3, 1 branch\nwaits at /app/order.go:17\n"
	if got := shown(80, func(s *term.Screen) { views.Replayed(s, &r, one) }); got != want || len(r.Waits) != 1 || r.Problem != "" {
		t.Errorf("printed is %q, want %q", got, want)
	}
}
