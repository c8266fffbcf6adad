package views_test

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

func TestABillSaysToAPersonWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	bill := &timeline.Bill{Dollars: 0.000005, Hypothetical: true, LeftOut: []string{"traffic between regions"},
		Lines: []timeline.BillLine{{Service: "SQS", Count: 12.5, Unit: "requests", Dollars: 0.000005, What: "messages"}}}
	says(t, shown(80, func(s *term.Screen) { views.Bill(s, bill) }), "SQS", "12.5 requests", "0.000005000", "total", "nothing is charged", "A million instances like this one would cost $5.00.", "Not included:\n  traffic between regions\n")
	if got, want := piped(func(s *term.Screen) { views.Bill(s, bill) }), "SQS\t12.5 requests\t0.000005000\tmessages\ntotal\t\t0.000005000\t\n"; strings.TrimRight(got, "\n") != strings.TrimRight(want, "\n") {
		t.Errorf("a program gets %q, want %q", got, want)
	}
}
