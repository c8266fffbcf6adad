package letters_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/letters"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

func letter() api.DeadLetter {
	return api.DeadLetter{MessageID: "m-1", Queue: deadletter.DeadFIFO, Source: deadletter.Orchestrator, SentAt: noon.Add(-time.Hour), Kind: "raise", Instance: "order-1", Group: "order-1",
		Reason: "unknown_instance", ReasonText: "no\x1b[2J record"}
}

func TestAListSaysOnceWhereAFIFOQueueMayHideMore(t *testing.T) {
	t.Parallel()
	var all []api.DeadLetter
	for range queue.MaxReceive {
		all = append(all, letter())
	}
	other := letter()
	other.Queue, other.Group, other.Reason, other.ReasonText = deadletter.Dead, "", "", ""
	var out, notes strings.Builder
	letters.List(&term.Screen{Writer: &out}, &notes, noon, append(all, other))
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != queue.MaxReceive+1 || strings.Contains(out.String(), "\x1b") || !strings.HasPrefix(lines[0], "m-1\t"+deadletter.DeadFIFO+"\t2030-01-01T11:00:00Z\traise\torder-1\tunknown_instance: no") {
		t.Errorf("listed is %q", out.String())
	}
	if last := lines[len(lines)-1]; !strings.HasSuffix(last, "\tmoved by SQS after its last receive") {
		t.Errorf("one without a reason is %q", last)
	}
	if want := "order-1 may have more dead letters after its first ten\n"; notes.String() != want {
		t.Errorf("noted is %q, want %q", notes.String(), want)
	}
	notes.Reset()
	letters.List(&term.Screen{Writer: &out}, &notes, noon, all[1:])
	if notes.String() != "" {
		t.Errorf("noted of fewer is %q", notes.String())
	}
}

func TestADeadLetterIsShownOpenedAndWithWhatToDo(t *testing.T) {
	t.Parallel()
	l := letter()
	l.Attributes = map[string]string{wire.ReasonAttribute: "unknown_instance", "tenant": "a"}
	l.Body, l.Opened, l.Unread, l.Advice = "sealed", `{"kind":"raise"}`, "cannot be decoded", "redrive it"
	var out strings.Builder
	letters.Show(&out, noon, &l)
	for _, want := range []string{deadletter.DeadFIFO + ", redriven to " + deadletter.Orchestrator, "(1h00m ago)", "cannot be read", "\nattributes\n  tenant", "the body is shown with its payloads decoded\n", `"kind": "raise"`, "\nwhat to do: redrive it\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("shown is\n%swithout %q", out.String(), want)
		}
	}
	if strings.Count(out.String(), "unknown_instance") != 1 || strings.Contains(out.String(), "\x1b") {
		t.Errorf("shown is\n%s", out.String())
	}
}

func TestOneThatStaysInItsQueueIsDistinguished(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dry         bool
		is          api.RemovedDeadLetter
		out, failed string
	}{
		"redriven":     {false, api.RemovedDeadLetter{MessageID: "m-1", Kind: "raise", Instance: "order-1", To: "delay"}, "redriven to delay: m-1 (raise order-1)\n", ""},
		"a dry run":    {true, api.RemovedDeadLetter{MessageID: "m-1", Instance: "order-1"}, "would be redriven: m-1 (order-1)\n", ""},
		"not redriven": {false, api.RemovedDeadLetter{MessageID: "m-1", Kind: "raise", Instance: "order-1", Error: "throttled"}, "", "not redriven: m-1 (raise order-1): throttled\n"},
	} {
		var out, failed strings.Builder
		letters.Removed(&out, &failed, "redriven", c.dry, &c.is)
		if out.String() != c.out || failed.String() != c.failed {
			t.Errorf("%s: printed is %q and %q, want %q and %q", name, out.String(), failed.String(), c.out, c.failed)
		}
	}
}
