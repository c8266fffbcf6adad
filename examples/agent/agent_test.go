package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/kept"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var task = Task{Goal: "a broken cup", Budget: 10_000, DecideWithin: 24}

const histories = "../../testdata/histories"

// open returns the application, with only the orchestration implemented.
func open(t *testing.T) *turnstiletest.Env {
	t.Helper()
	env := turnstiletest.New(t, turnstile.NewApp(Agent.Implement(agent)))
	t.Cleanup(func() { kept.Sample(t, env.Client(), histories, "agent") })
	return env
}

func call(id, tool string) ToolCall {
	return ToolCall{ID: id, Tool: tool, Input: json.RawMessage(`"x"`)}
}

// refunding is a model that requests one refund, and then is done.
var refunding = script{
	{Text: "refunding", Tokens: 10, Calls: []ToolCall{call("1", "refund"), call("2", "look")}},
	{Text: "done", Tokens: 5},
}

func TestADangerousCallNeedsAPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		decision *Decision
		refunds  int
		reads    string
	}{
		"who approves": {&Decision{Call: "1", Approved: true}, 1, "used refund"},
		"who refuses":  {&Decision{Call: "1"}, 0, "a person has refused"},
		// A decision on another call does not count, and then the time is over.
		"who decides on another call": {&Decision{Call: "7", Approved: true}, 0, "a person has refused"},
		"who is not there":            {nil, 0, "a person has refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := open(t)
			model := turnstiletest.On(env, AskModel).Do(refunding.Reply)
			asked := turnstiletest.On(env, AskPerson).Return(turnstile.None{}, nil)
			refund := turnstiletest.On(env, UseTool).Match(func(c ToolCall) bool { return c.Tool == "refund" }).Return("used refund", nil)
			turnstiletest.On(env, UseTool).Return("looked", nil)

			run := turnstiletest.Start(env, Agent, task)
			if c.decision != nil {
				env.After(5*time.Hour, func() { turnstiletest.Raise(env, Decided, run.Instance, *c.decision) })
			}
			answer, err := run.Wait()
			if err != nil || answer != (Answer{Text: "done", Spent: 15}) {
				t.Errorf("the answer is %+v, %v", answer, err)
			}
			if asked.Calls() != 1 || refund.Calls() != c.refunds {
				t.Errorf("asked %d times, refunded %d times, want once and %d", asked.Calls(), refund.Calls(), c.refunds)
			}
			read := model.Inputs()[1].Messages
			if len(read) != 3 || !strings.Contains(read[1].Text, c.reads) || read[2].Text != "looked" {
				t.Errorf("the model reads %+v", read)
			}
		})
	}
}

func TestAToolThatFailsIsForTheModelToDealWith(t *testing.T) {
	t.Parallel()
	env := open(t)
	model := turnstiletest.On(env, AskModel).Do(script{
		{Tokens: 1, Calls: []ToolCall{call("1", "look")}}, {Text: "I give up", Tokens: 1},
	}.Reply)
	tool := turnstiletest.On(env, UseTool).Return("", errors.New("out of order"))
	if answer, err := turnstiletest.Start(env, Agent, task).Wait(); err != nil || answer.Text != "I give up" {
		t.Errorf("the answer is %+v, %v", answer, err)
	}
	if read := model.Inputs()[1].Messages[1].Text; !strings.Contains(read, "out of order") || tool.Calls() != 3 {
		t.Errorf("after %d attempts the model reads %q", tool.Calls(), read)
	}
}

func TestTheBudgetIsTheEnd(t *testing.T) {
	t.Parallel()
	env := open(t)
	model := turnstiletest.On(env, AskModel).Return(Reply{Text: "again", Tokens: 400, Calls: []ToolCall{call("1", "look")}}, nil)
	turnstiletest.On(env, UseTool).Return("nothing", nil)
	answer, err := turnstiletest.Start(env, Agent, Task{Goal: "forever", Budget: 1000}).Wait()
	if err != nil || answer != (Answer{Spent: 1200, OutOfBudget: true}) || model.Calls() != 3 {
		t.Errorf("after %d calls the answer is %+v, %v", model.Calls(), answer, err)
	}
}

// An attempt reads only the pages that the failed attempt had not read.
func TestASearchContinuesWhereItWas(t *testing.T) {
	t.Parallel()
	search := searchOrders([][]string{{"a"}, {"b"}})
	env := open(t)
	turnstiletest.On(env, AskModel).Do(script{{Tokens: 1, Calls: []ToolCall{call("1", "search_orders")}}, {Text: "ok", Tokens: 1}}.Reply)
	turnstiletest.On(env, UseTool).Do(func(ctx context.Context, c ToolCall) (string, error) {
		if err := turnstile.Heartbeat(ctx, []string{"from before"}); err != nil {
			return "", err
		}
		return "", errors.New("the connection was lost")
	}).Once()
	found := turnstiletest.On(env, UseTool).Do(func(ctx context.Context, c ToolCall) (string, error) {
		text, err := search(ctx, c.Input)
		if text != `["from before","b"]` {
			t.Errorf("found were %s", text)
		}
		return text, err
	})
	if _, err := turnstiletest.Start(env, Agent, task).Wait(); err != nil || found.Calls() != 1 {
		t.Errorf("it ended with %v after %d further attempts", err, found.Calls())
	}
}

func TestACrashAnywhereChangesNothing(t *testing.T) {
	t.Parallel()
	turnstiletest.CrashTest(t, turnstile.NewApp(Agent.Implement(agent)), func(env *turnstiletest.Env) {
		turnstiletest.On(env, AskModel).Do(refunding.Reply)
		turnstiletest.On(env, AskPerson).Return(turnstile.None{}, nil)
		turnstiletest.On(env, UseTool).Return("used", nil)
		run := turnstiletest.Start(env, Agent, task)
		env.After(time.Hour, func() { turnstiletest.Raise(env, Decided, run.Instance, Decision{Call: "1", Approved: true}) })
		run.Wait()
	})
}

// The code replays the histories that earlier builds of this application have written: see
// docs/internal/testing.md. With TURNSTILE_KEEP=BUILD the other tests write their histories.
func TestV06HistoriesOfEarlierBuildsReplay(t *testing.T) {
	t.Parallel()
	turnstiletest.Replay(t, turnstile.NewApp(Agent.Implement(agent)), histories+"/*/agent/*.json")
}

func TestTheStory(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if status := sample.Run(t.Context(), nil, &out); status != 0 {
		t.Fatalf("exit status %d\n%s", status, out.String())
	}
	lines := strings.Split(out.String(), "\n")
	for _, want := range []string{
		"the model says: I look for the order first.", `the tool says: ["order-3","order-17"]`, "Grace is asked", "14:00  Grace approves",
		`refund "order-17": done`, "ticket-4 is done for 2700 tokens: Ada has her money back",
	} {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, want) }) {
			t.Errorf("the story lacks %q:\n%s", want, out.String())
		}
	}
}
