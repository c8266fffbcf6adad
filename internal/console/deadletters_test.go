package console_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/demo"
)

func peek(b *bench, in api.PeekDeadLetters) api.DeadLetters {
	b.t.Helper()
	return post[api.DeadLetters](b, "dead-letters/peek", in)
}

func TestDeadLettersAreShownWithWhatToDoAndWithoutTokens(t *testing.T) {
	t.Parallel()
	b := looking(t)
	all := peek(b, api.PeekDeadLetters{})
	if len(all.Letters) != 7 || len(all.More) > 0 {
		t.Fatalf("%d are shown, more in %v", len(all.Letters), all.More)
	}
	text, err := json.Marshal(all)
	if err != nil || strings.Contains(string(text), demo.Token) || strings.Count(string(text), "(not shown)") != 2 {
		t.Errorf("tokens are shown: %s, %v", text, err)
	}
	folded := 0
	for _, l := range all.Letters {
		if l.Advice == "" || l.Source == "" {
			t.Errorf("%+v", l)
		}
		if len(l.Folded) > 0 {
			folded++
			one := peek(b, api.PeekDeadLetters{Selection: deadletter.Selection{IDs: []string{l.MessageID}}})
			if len(one.Letters) != 1 || len(one.Letters[0].Body) < 20_000 {
				t.Errorf("alone it is %+v", one)
			}
		}
	}
	if folded != 1 {
		t.Errorf("%d are folded", folded)
	}
	// Looking leaves them where they are, for the next who looks.
	if again := peek(b, api.PeekDeadLetters{Selection: deadletter.Selection{Queue: "dead", Reason: "forged"}}); len(again.Letters) != 1 || again.Letters[0].Unread != "" {
		t.Errorf("again there are %+v", again)
	}
	if some := peek(b, api.PeekDeadLetters{Limit: 2}); len(some.Letters) != 4 || len(some.More) != 2 {
		t.Errorf("two of each are %d, more in %v", len(some.Letters), some.More)
	}
	for _, q := range get[api.Queues](b, "queues").Queues {
		if q.DeadLetters && (q.InFlight > 0 || q.Visible == 0) {
			t.Errorf("the queue is %+v", q)
		}
	}
}

func TestDeadLettersAreRedrivenAndDeletedAsAskedFor(t *testing.T) {
	t.Parallel()
	b := looking(t, console.AllowActions())
	redrive := func(in api.RemoveDeadLetters) api.RemovedDeadLetters {
		t.Helper()
		return post[api.RemovedDeadLetters](b, "dead-letters/redrive", in)
	}
	dry := redrive(api.RemoveDeadLetters{All: true, DryRun: true})
	if len(dry.Done) != 7 || !dry.DryRun || len(peek(b, api.PeekDeadLetters{}).Letters) != 7 {
		t.Errorf("a dry run is %+v", dry)
	}
	forged := redrive(api.RemoveDeadLetters{All: true, Selection: deadletter.Selection{Reason: "forged"}})
	if len(forged.Done) != 1 || forged.Done[0].To != "delay" || forged.Done[0].Error != "" {
		t.Errorf("of the forged %+v", forged)
	}
	id := dry.Done[0].MessageID
	deleted := post[api.RemovedDeadLetters](b, "dead-letters/delete", api.RemoveDeadLetters{Selection: deadletter.Selection{IDs: []string{id, "gone"}}})
	if len(deleted.Done) != 1 || deleted.Done[0].To != "" || !slices.Equal(deleted.Missing, []string{"gone"}) {
		t.Errorf("deleted are %+v", deleted)
	}
	var visible int
	for _, q := range get[api.Queues](b, "queues").Queues {
		if q.Name == "delay" && q.Visible != 1 {
			t.Errorf("the delay queue is %+v", q)
		}
		if q.DeadLetters {
			visible += q.Visible
		}
	}
	if visible != 5 {
		t.Errorf("%d are left", visible)
	}
}

func TestInvalidRequestsForDeadLettersAreErrors(t *testing.T) {
	t.Parallel()
	b := looking(t, console.AllowActions())
	for path, bodies := range map[string]map[string]string{
		"peek": {`{"queue":"orchestrator"}`: "dead-fifo, dead", `{"reason":"bad"}`: "malformed", `{"limit":101}`: "at most 100", `{"limit":-1}`: "at most 100"},
		"redrive": {`{}`: "give message_ids, or set all", `{"all":true,"message_ids":["x"]}`: "give message_ids, or set all", `{"message_ids":["x"],"reason":"none"}`: "require all",
			`{"all":true,"to":"dead"}`: "orchestrator, delay", `{"all":true,"queue":"x"}`: "dead-fifo, dead"},
		"delete": {`{"all":true,"to":"delay"}`: "deleted messages have no target"},
	} {
		for body, word := range bodies {
			b.do("POST", "api/v1/dead-letters/"+path, body).fails(api.CodeInvalid, word)
		}
	}
	bare := withSecret(t)
	bare.do("POST", "api/v1/dead-letters/peek", "{}").fails(api.CodeNotOffered, "console.WithDeadLetters")
	bare.do("GET", "api/v1/queues", nil).fails(api.CodeNotOffered, "console.WithQueues")
	bare.do("POST", "api/v1/queues/oldest", "{}").fails(api.CodeNotOffered, "age")
	if c := get[api.About](bare, "about").Capabilities; c.DeadLetters || c.Queues || c.QueueAges {
		t.Errorf("about says %+v", c)
	}
}

func TestQueuesSayHowFullTheyAreAndOnDemandHowOld(t *testing.T) {
	t.Parallel()
	b := looking(t)
	queues := get[api.Queues](b, "queues")
	if len(queues.Queues) != 6 || queues.Queues[4].Name != "dead-fifo" || queues.Queues[4].Visible != 4 {
		t.Errorf("queues are %+v", queues)
	}
	ages := post[api.QueueAges](b, "queues/oldest", "{}").Ages
	if len(ages) != 6 || ages[4].OldestSeconds != 26*3600 || ages[0].OldestSeconds != 0 {
		t.Errorf("ages are %+v", ages)
	}
}
