package main

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/internal/screen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestOutputs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args  []string
		input string
		code  int
		shows []string
		not   []string
	}{
		"an order is fulfilled turn by turn": {
			args: []string{"-virtual"},
			shows: []string{
				"1 OrchestrationStarted        Fulfil {", "2 ActivityScheduled           ReserveStock", "→ activity      Charge (event 3)",
				"→ timer         (event 8) due in 12s", "OrchestrationContinuedAsNew", "execution 2", "Grace approves",
				"ExternalEvent               approved", "order-1001/shipment", "order-1001 completed in", `"status": "shipped"`,
			},
			not: []string{"\x1b[", "stuck", "dead letter"},
		},
		"nobody approves and all is undone": {
			args:  []string{"-virtual", "-approve=false"},
			shows: []string{"Refund", "ReleaseStock", `"status": "not approved"`},
			not:   []string{"Grace"},
		},
		"an order of one's own that fails": {
			args: []string{"-virtual", "-input", `{"id":"9","card":"0000"}`, "-instance", "mine"}, code: exitFailed,
			shows: []string{"mine failed in", `order 9: activity "Charge" failed: the card was declined`},
		},
		"work items on standard input": {
			args: []string{"-keep", "-approve-after=0s", "-latency=0s", "-input", `{"card":"0000"}`}, code: exitFailed,
			input: "\nnonsense\n" + `{"kind":"StartOrchestration","instance":"second","name":"Fulfil","input":{"id":"2","card":"0000"}}` + "\n",
			shows: []string{"dead letter  nonsense\n        malformed", "OrchestrationFailed         application: order 2:"},
		},
		"a flag that is none":            {args: []string{"-what"}, code: exitUsage, shows: []string{"-approve-after", "To try:", `"name":"Nobody"`}},
		"an argument that is not a flag": {args: []string{"what"}, code: exitUsage, shows: []string{`"what" is not a flag`}},
		"an input that is no order":      {args: []string{"-input", "[]"}, code: exitUsage, shows: []string{"is not an order", `{"id":"1001"`}},
		"an input with another field":    {args: []string{"-input", `{"costumer":"Bob"}`}, code: exitUsage, shows: []string{`unknown field "costumer"`}},
		"a console in virtual time":      {args: []string{"-virtual", "-console"}, code: exitUsage, shows: []string{"nothing to watch"}},
		"a console that cannot be":       {args: []string{"-console", "-addr=192.0.2.1:80"}, code: exitFailed, shows: []string{"not a loopback address"}},
		"flags that exclude each other":  {args: []string{"-virtual", "-keep"}, code: exitUsage, shows: []string{"exclude each other"}},
		"help":                           {args: []string{"-help"}, shows: []string{"-approve-after"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := screen.New()
			if code := run(t.Context(), c.args, strings.NewReader(c.input), out); code != c.code {
				t.Errorf("exit status %d, want %d", code, c.code)
			}
			for _, want := range c.shows {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it does not show %q", want)
				}
			}
			for _, not := range c.not {
				if strings.Contains(out.String(), not) {
					t.Errorf("it shows %q", not)
				}
			}
			if t.Failed() {
				t.Log(out.String())
			}
		})
	}
}

func TestAnOrderThatTakesTooLongIsGivenUp(t *testing.T) {
	t.Parallel()
	out := screen.New()
	if code := run(t.Context(), []string{"-limit=1ns"}, strings.NewReader(""), out); code != exitFailed {
		t.Errorf("exit status %d, want %d", code, exitFailed)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if code := run(ctx, []string{"-keep", "-approve=false"}, strings.NewReader(""), out); code != exitFailed {
		t.Errorf("interrupted, exit status %d, want %d", code, exitFailed)
	}
}

// With the console, the command continues after its order until it is interrupted.
func TestTheConsoleStaysUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	out := screen.New()
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		args := []string{"-console", "-addr=127.0.0.1:0", "-latency=0s", "-approve-after=0s", "-input", `{"card":"0000"}`}
		ended <- run(ctx, args, strings.NewReader(""), out)
	}()
	out.WaitFor(t, "order-1001 failed in", "the console stays until Ctrl-C")
	address := regexp.MustCompile(`this order (http://127\.0\.0\.1:\d+/)#/instances/order-1001\n`).FindStringSubmatch(out.String())
	if address == nil {
		t.Fatalf("it does not say where the console is:\n%s", out)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(address[1] + "api/v1/instances/order-1001")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("the console says %s", answer.Status)
	}
	customer := regexp.MustCompile(`customer   (http://127\.0\.0\.1:\d+/)\?order=order-1001\n`).FindStringSubmatch(out.String())
	if customer == nil {
		t.Fatalf("it does not say where the page of the customer is:\n%s", out)
	}
	tracked, err := client.Get(customer[1] + "orders/order-1001")
	if err != nil {
		t.Fatal(err)
	}
	defer tracked.Body.Close()
	if text, err := io.ReadAll(tracked.Body); err != nil || !strings.Contains(string(text), "the card was declined") {
		t.Errorf("the customer is told %s, %v", text, err)
	}
	interrupt()
	if code := <-ended; code != exitFailed {
		t.Errorf("exit status %d, want %d: that of the order", code, exitFailed)
	}
}
