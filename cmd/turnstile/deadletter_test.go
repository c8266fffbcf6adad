package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// send puts a message on a queue and returns its id.
func (b *bench) send(name string, m queue.Outgoing) string {
	b.t.Helper()
	ids, err := b.queue(name).SendIDs(b.t.Context(), m)
	if err != nil {
		b.t.Fatal(err)
	}
	return ids[0]
}

func because(reason wire.Reason, text string) map[string]string {
	return map[string]string{wire.ReasonAttribute: reason.Attribute(text)}
}

const approved = `{"v":1,"kind":"ExternalRaised","instance":"order-7","id":"mail-1","name":"approved","data":{"by":"ada"}}`

// givenUp has dead letters of every sort.
func givenUp(t *testing.T) *bench {
	b := newBench(t)
	b.clock.now = epoch.Add(-2 * time.Hour)
	b.send(deadletter.DeadFIFO, queue.Outgoing{Body: approved, Group: "order-7", DedupID: "first-1",
		Attributes: because(wire.ReasonUnknownInstance, `event "approved" for instance "order-7", which was not started within 15m0s; redrive it after the start`)})
	b.send(deadletter.DeadFIFO, queue.Outgoing{Body: "noise\x7f\n", Group: "g", DedupID: "first-2",
		Attributes: map[string]string{wire.ReasonAttribute: wire.ReasonMalformed.Attribute("it is not a JSON object"), "trace": "t-1"}})
	b.clock.now = epoch.Add(-90 * time.Second)
	b.send(deadletter.DeadFIFO, queue.Outgoing{Body: `{"kind":"Wake","instance":"order-8"}`, Group: "order-8", DedupID: "first-3"})
	b.send(deadletter.Dead, queue.Outgoing{Body: `{"v":1,"kind":"ActivityExecute","instance":"order-9","execution_id":1,"scheduling_event_id":4,"name":"Charge","token":"00112233445566778899aabbccddeeff","attempt":2}`})
	b.send(deadletter.Dead, queue.Outgoing{Body: `{"MessageBody":"{\"v\":1,\"kind\":\"TimerFired\",\"instance\":\"order-9\",\"execution_id\":1,\"source_event_id\":5,\"fire_at_ms\":1,\"token\":\"0123456789abcdef0123456789abcdef\"}","QueueUrl":"https://q"}`,
		Attributes: because(wire.ReasonForged, "its token does not match event 5")})
	b.send(deadletter.Dead, queue.Outgoing{Body: `{"v":9,"kind":"Tomorrow"}`, Attributes: because(wire.ReasonUnknownVersion, "wire: unknown_version: version 9")})
	b.clock.now = epoch
	return b
}

func TestDeadLettersAreListedWithTheirReasons(t *testing.T) {
	t.Parallel()
	b := givenUp(t)
	golden(t, "dead-letter-list.txt", b.ok("dead-letter", "list"))
	golden(t, "dead-letter-list.json", b.ok("dead-letter", "list", "--output", "json"))
	for _, c := range []struct {
		args string
		want int
	}{
		{"--queue dead", 3}, {"--reason none", 2}, {"--reason forged", 1}, {"--instance order-9", 2},
		{"--instance order-9 --reason none", 1}, {"--limit 1", 2}, {"--reason corrupt", 0},
	} {
		out := b.ok(append([]string{"dead-letter", "list", "--output", "json"}, strings.Fields(c.args)...)...)
		var found api.DeadLetters
		if err := json.Unmarshal([]byte(out), &found); err != nil || len(found.Letters) != c.want {
			t.Errorf("%s lists %d, want %d: %v", c.args, len(found.Letters), c.want, err)
		}
	}
	if r := newBench(t).run("dead-letter", "list"); r.status != exitOK || !strings.Contains(r.err, "no dead letters") {
		t.Errorf("an empty list is %+v", r)
	}
}

// What a command prints does not depend on what it works on. A console alone hides
// tokens in bodies.
func TestDeadLettersOfAConsoleAreThoseOfItsQueues(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"dead-letter list", "dead-letter list --output json", "dead-letter list --reason none --instance order-9",
		"dead-letter list --limit 1", "dead-letter list --queue dead --reason corrupt",
		"dead-letter show dead-fifo-1", "dead-letter show dead-fifo-2", "dead-letter show dead-3", "dead-letter show gone",
		"dead-letter redrive --all --dry-run", "dead-letter redrive --all", "dead-letter redrive dead-1 gone",
		"dead-letter redrive --all --reason forged --to delay", "dead-letter delete dead-2 --output json", "dead-letter delete --all --yes 6", "dead-letter delete --all --yes any",
	} {
		line := strings.Fields(args)
		want, got := givenUp(t).run(line...), givenUp(t).byConsole().run(line...)
		if got != want {
			t.Errorf("turnstile %s by a console:\n%s\nwant\n%s", args, got, want)
		}
	}
	b := givenUp(t).byConsole()
	if out := b.ok("dead-letter", "show", "dead-1"); !strings.Contains(out, `"token": "(not shown)"`) {
		t.Errorf("shown is\n%s", out)
	}
	b.fails(exitUsage, []string{"--reason"}, "dead-letter", "list", "--reason", "none-such")
}

func TestLookingLeavesDeadLettersVisible(t *testing.T) {
	t.Parallel()
	b := givenUp(t)
	for range 3 {
		b.ok("dead-letter", "list")
		b.ok("dead-letter", "redrive", "--all", "--dry-run")
	}
	for _, name := range []string{deadletter.DeadFIFO, deadletter.Dead} {
		if c := b.queue(name).Counts(); c.Visible != 3 || c.InFlight != 0 {
			t.Errorf("%s has %+v", name, c)
		}
	}
}

func TestDeadLettersAreShownWhole(t *testing.T) {
	t.Parallel()
	b := givenUp(t)
	golden(t, "dead-letter-show.txt", b.ok("dead-letter", "show", "dead-fifo-2"))
	golden(t, "dead-letter-show.json", b.ok("dead-letter", "show", "dead-fifo-2", "--output", "json"))
	if out := b.ok("dead-letter", "show", "dead-3"); !strings.Contains(out, "unknown_version") || !strings.Contains(out, "cannot be read") {
		t.Errorf("shown is\n%s", out)
	}
	b.fails(exitNotFound, []string{"dead letter gone not found", "another reader has received it"}, "dead-letter", "show", "gone")
}

func TestARedrivenMessageReturnsToItsSourceWithAMarkAndTheIDOfTheHop(t *testing.T) {
	t.Parallel()
	b := givenUp(t)
	golden(t, "dead-letter-redrive.txt", b.run("dead-letter", "redrive", "--all").String())
	for _, name := range []string{deadletter.DeadFIFO, deadletter.Dead} {
		if c := b.queue(name).Counts(); c.Total() != 0 {
			t.Errorf("%s has %+v", name, c)
		}
	}
	where := map[string]string{
		"approved": deadletter.Orchestrator, "noise": deadletter.Orchestrator, "Wake": deadletter.Orchestrator,
		"ActivityExecute": deadletter.Activity, "MessageBody": deadletter.Delay, "Tomorrow": deadletter.Delay,
	}
	for word, name := range where {
		found := false
		for _, m := range b.queue(name).Peek() {
			if !strings.Contains(m.Body, word) {
				continue
			}
			found = true
			if m.Attributes[wire.RedriveAttribute] == "" || m.Attributes[wire.ReasonAttribute] != "" {
				t.Errorf("%s has the attributes %v", word, m.Attributes)
			}
		}
		if !found {
			t.Errorf("%s is not in %s", word, name)
		}
	}
	sent := b.queue(deadletter.Orchestrator).Peek()
	item, err := wire.Parse([]byte(approved))
	if err != nil {
		t.Fatal(err)
	}
	if want := wire.HopDedupID(wire.DedupID(&item), "dead-fifo-1"); sent[0].DedupID != want || sent[0].Group != "order-7" || sent[0].Body != approved {
		t.Errorf("the event went back as %+v, want deduplication id %s", sent[0], want)
	}
	if sent[1].Attributes["trace"] != "t-1" || sent[1].Body != "noise\x7f\n" || sent[1].DedupID != wire.HopDedupID("", "dead-fifo-2") {
		t.Errorf("what cannot be read went back as %+v", sent[1])
	}
}

// What came without an id went by that of its first message; a start that was
// recorded under it would else be another start.
func TestE04ARedriveWritesTheIDIntoABodyWithoutOne(t *testing.T) {
	t.Parallel()
	b := givenUp(t)
	b.ok("dead-letter", "redrive", "dead-fifo-3")
	sent := b.queue(deadletter.Orchestrator).Peek()
	if len(sent) != 1 {
		t.Fatalf("%d messages were sent", len(sent))
	}
	item, err := wire.Parse([]byte(sent[0].Body))
	if err != nil || item.ID != "first-3" || sent[0].DedupID != wire.HopDedupID(wire.DedupID(&item), "dead-fifo-3") {
		t.Errorf("sent was %+v: %v", sent[0], err)
	}
}

// What is too old would come back as such. Who redrives it wants it.
func TestARedriveOfWhatIsTooOldMakesItNew(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	old := epoch.Add(-15 * 24 * time.Hour).UnixMilli()
	event := fmt.Sprintf(`{"v":1,"kind":"ExternalRaised","instance":"order-7","id":"mail-1","name":"approved","sent_ms":%d,"colour":{"a": 1},"data":{"by":"ada"}}`, old)
	b.send(deadletter.DeadFIFO, queue.Outgoing{Body: event, Group: "order-7", DedupID: "first-1", Attributes: because(wire.ReasonExpired, "old")})
	young := fmt.Sprintf(`{"v":1, "kind":"ExternalRaised","instance":"order-8","id":"mail-1","name":"approved","sent_ms":%d}`, epoch.Add(-24*time.Hour).UnixMilli())
	b.send(deadletter.DeadFIFO, queue.Outgoing{Body: young, Group: "order-8", DedupID: "first-2", Attributes: because(wire.ReasonCorrupt, "gap")})
	attempt := fmt.Sprintf(`{"v":1,"kind":"ActivityExecute","instance":"order-9","execution_id":1,"scheduling_event_id":4,"name":"Charge","token":"t","attempt":2,"sent_ms":%d}`, old)
	b.send(deadletter.Dead, queue.Outgoing{Body: attempt, Attributes: because(wire.ReasonExpired, "old")})
	b.ok("dead-letter", "redrive", "--all")
	for _, m := range b.queue(deadletter.Orchestrator).Peek() {
		item, err := wire.Parse([]byte(m.Body))
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case m.Group == "order-8" && m.Body != young:
			t.Errorf("a young one was changed: %s", m.Body)
		case m.Group == "order-7" && (item.SentMS != epoch.UnixMilli() || item.ID != "mail-1" || string(item.Data) != `{"by":"ada"}` || string(item.Unknown["colour"]) != `{"a": 1}`):
			t.Errorf("redriven as %s", m.Body)
		}
	}
	attempts := b.queue(deadletter.Activity).Peek()
	if len(attempts) != 1 {
		t.Fatalf("%d attempts on the activity queue", len(attempts))
	}
	if item, err := wire.Parse([]byte(attempts[0].Body)); err != nil || item.Age(epoch) != 0 || item.Attempt != 2 {
		t.Errorf("redriven as %s, %v", attempts[0].Body, err)
	}
}

func TestARedriveTakesOnlyWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	b := givenUp(t)
	b.ok("dead-letter", "redrive", "--all", "--reason", "none", "--instance", "order-9")
	if n := b.queue(deadletter.Dead).Counts(); n.Visible != 2 || n.InFlight != 0 || b.queue(deadletter.DeadFIFO).Counts().Visible != 3 {
		t.Errorf("left are %+v", n)
	}
	b.fails(exitNotFound, []string{"dead letter gone not found"}, "dead-letter", "delete", "gone")
	r := b.run("dead-letter", "delete", "dead-2", "gone")
	if r.status != exitNotFound || !strings.Contains(r.out, "deleted: dead-2") {
		t.Errorf("%+v", r)
	}
	if n := b.queue(deadletter.Dead).Counts(); n.Total() != 1 {
		t.Errorf("left are %+v", n)
	}
}

func TestDeletingAllShowsTheNumberAndTheTargetAndAsks(t *testing.T) {
	t.Parallel()
	b := givenUp(t)
	b.place = backend.Place{ID: "q", Words: "stack shop in account 111111111111, eu-central-1"}
	line := []string{"dead-letter", "delete", "--all", "--queue", deadletter.Dead, "--instance", "order-9"}
	would := "delete 2 dead letters of stack shop in account 111111111111, eu-central-1 (--all --queue dead --instance order-9)"
	b.fails(exitUsage, []string{"the command would " + would, "--yes 2"}, line...)
	b.fails(exitFailed, []string{"--yes 3, but the command would " + would, "nothing was done"}, append(line, "--yes", "3")...)
	b.fails(exitUsage, []string{`--yes "many"`}, append(line, "--yes", "many")...)
	b.fails(exitUsage, []string{"--yes needs --all"}, "dead-letter", "delete", "dead-1", "--yes", "1")
	b.asked = true
	if r := b.runWith(t.Context(), "yes\n", line...); r.status != exitFailed || !strings.Contains(r.err, would+"?\nType 2 to do it: ") || !strings.Contains(r.err, `"yes" is not 2`) {
		t.Errorf("%+v", r)
	}
	if c := b.queue(deadletter.Dead).Counts(); c.Visible != 3 {
		t.Errorf("without a confirmation there are %+v", c)
	}
	if r := b.runWith(t.Context(), "2\n", line...); r.status != exitOK || strings.Count(r.out, "deleted: ") != 2 {
		t.Errorf("%+v", r)
	}
	if c := b.queue(deadletter.Dead).Counts(); c.Total() != 1 || c.Visible != 1 {
		t.Errorf("left are %+v", c)
	}
	if r := b.run(append(line, "--yes", "0")...); r.status != exitOK || !strings.Contains(r.err, "no dead letters") {
		t.Errorf("of none: %+v", r)
	}
	if out := b.ok("dead-letter", "delete", "--all", "--yes", "4", "--output", "json"); strings.Count(out, `"message_id"`) != 4 {
		t.Errorf("deleted are\n%s", out)
	}
	if c := b.queue(deadletter.Dead).Counts().Total() + b.queue(deadletter.DeadFIFO).Counts().Total(); c != 0 {
		t.Errorf("%d are left", c)
	}
}

func TestARedriveCanGoElsewhere(t *testing.T) {
	t.Parallel()
	b := givenUp(t)
	b.ok("dead-letter", "redrive", "dead-1", "--to", "activity")
	if n := b.queue(deadletter.Activity).Counts().Total(); n != 1 {
		t.Errorf("%d messages are on the activity queue", n)
	}
	b.ok("dead-letter", "redrive", "dead-2", "--to", "orchestrator")
	if m := b.queue(deadletter.Orchestrator).Peek(); len(m) != 1 || m[0].Group != "order-9" {
		t.Errorf("on the orchestrator queue: %+v", m)
	}
	b.fails(exitNotFound, nil, "dead-letter", "redrive", "nobody", "--to", "orchestrator")
	r := b.run("dead-letter", "redrive", "dead-3", "--to", "orchestrator")
	if r.status != exitFailed || !strings.Contains(r.err, "requires the instance") {
		t.Errorf("without an instance: %+v", r)
	}
	if c := b.queue(deadletter.Dead).Counts(); c.Visible != 1 {
		t.Errorf("what could not be sent is %+v", c)
	}
}

// Of sending and deleting, sending is first; whatever fails in between, the
// message is in one of the two queues.
func TestARedriveThatFailsLosesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		send, del bool
		sent      int
		says      string
	}{
		{"the send fails", true, false, 0, "could not send the message to orchestrator: refused"},
		{"the deletion fails", false, true, 1, "the message was sent to orchestrator, but could not be deleted here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := givenUp(t)
			source, dead := b.queue(deadletter.Orchestrator), b.queue(deadletter.DeadFIFO)
			b.queues[deadletter.Orchestrator] = refusing{Queue: source, send: c.send}
			b.queues[deadletter.DeadFIFO] = refusing{Queue: dead, remove: c.del}
			r := b.run("dead-letter", "redrive", "dead-fifo-1")
			if r.status != exitFailed || !strings.Contains(r.err, c.says) || !strings.Contains(r.err, "1 of 1 dead letter not redriven") {
				t.Errorf("%+v", r)
			}
			if n := source.Counts().Total(); n != c.sent {
				t.Errorf("%d were sent, want %d", n, c.sent)
			}
			if n := dead.Counts(); n.Visible != 3 {
				t.Errorf("in the dead-letter queue are %+v", n)
			}
			// The repeat is one message for the source, and succeeds.
			b.queues[deadletter.Orchestrator], b.queues[deadletter.DeadFIFO] = source, dead
			b.ok("dead-letter", "redrive", "dead-fifo-1")
			if n := source.Counts().Total(); n != 1 || dead.Counts().Total() != 2 {
				t.Errorf("after the repeat there are %d and %+v", n, dead.Counts())
			}
		})
	}
}

func TestRedrivingAllLeavesMessagesThatArriveMeanwhile(t *testing.T) {
	t.Parallel()
	b := givenUp(t)
	b.clock.now = epoch.Add(time.Second)
	late := b.send(deadletter.DeadFIFO, queue.Outgoing{Body: approved, Group: "order-7", DedupID: "late"})
	b.clock.now = epoch
	r := b.run("dead-letter", "redrive", "--all")
	if r.status != exitOK || !strings.Contains(r.err, "left in the queue: 1 dead letter that arrived") {
		t.Errorf("%+v", r)
	}
	if m := b.queue(deadletter.DeadFIFO).Peek(); len(m) != 1 || m[0].ID != late {
		t.Errorf("left are %+v", m)
	}
}

func TestManyDeadLettersOfOneInstance(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 25
	for i := range n {
		b.send(deadletter.DeadFIFO, queue.Outgoing{Group: "order-1", DedupID: fmt.Sprint(i),
			Body: fmt.Sprintf(`{"kind":"ExternalRaised","instance":"order-1","id":"e-%d","name":"e"}`, i)})
	}
	r := b.run("dead-letter", "list")
	if strings.Count(r.out, "order-1") != queue.MaxReceive || !strings.Contains(r.err, "order-1 may have more dead letters") {
		t.Errorf("listed is %s", r)
	}
	b.ok("dead-letter", "redrive", "--all")
	sent := b.queue(deadletter.Orchestrator).Peek()
	if len(sent) != n || b.queue(deadletter.DeadFIFO).Counts().Total() != 0 {
		t.Fatalf("%d of %d went back", len(sent), n)
	}
	for i, m := range sent {
		if !strings.Contains(m.Body, fmt.Sprintf(`"e-%d"`, i)) {
			t.Fatalf("in place %d is %s", i, m.Body)
		}
	}
}

func TestARedriveHasRoomForItsMark(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	attributes := map[string]string{}
	for i := range queue.MaxAttributes {
		attributes[fmt.Sprintf("a%d", i)] = "x"
	}
	id := b.send(deadletter.DeadFIFO, queue.Outgoing{Body: approved, Group: "order-7", DedupID: "d", Attributes: attributes})
	b.ok("dead-letter", "redrive", id)
	m := b.queue(deadletter.Orchestrator).Peek()[0]
	if len(m.Attributes) != queue.MaxAttributes || m.Attributes[wire.RedriveAttribute] == "" || m.Attributes["a0"] != "x" {
		t.Errorf("its attributes are %v", m.Attributes)
	}
}

func TestDeadLetterCommandsRefuse(t *testing.T) {
	t.Parallel()
	b := givenUp(t)
	for _, c := range []struct{ args, says string }{
		{"dead-letter", "list, show, redrive, delete"},
		{"dead-letter eat", "list, show, redrive, delete"},
		{"dead-letter show", "MESSAGE_ID"},
		{"dead-letter redrive", "message ids, or --all"},
		{"dead-letter delete --all x", "message ids, or --all"},
		{"dead-letter redrive x --reason forged", "need --all"},
		{"dead-letter redrive --all --reason fun", "unknown_instance"},
		{"dead-letter redrive --all --queue activity", "dead-fifo"},
		{"dead-letter redrive --all --to dead", "activity-dead"},
		{"dead-letter list --limit 0", "at least 1"},
	} {
		b.fails(exitUsage, []string{c.says}, strings.Fields(c.args)...)
	}
}

// A redrive would make what somebody may not send the operator's.
func TestWhatItsSenderMayNotSendIsNotRedriven(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	wake := `{"kind":"Wake","instance":"order-1","id":"w"}`
	refused := queue.Outgoing{Body: wake, Group: "order-1", DedupID: "1", Attributes: map[string]string{wire.ReasonAttribute: wire.ReasonSender.Attribute("Wake was sent by the activity function")}}
	if err := b.queue(deadletter.DeadFIFO).Send(t.Context(), refused); err != nil {
		t.Fatal(err)
	}
	b.fails(exitFailed, []string{"was not permitted to send this message", "send it as a new message"}, "dead-letter", "redrive", "--all")
	if c := b.queue(deadletter.DeadFIFO).Counts(); c.Total() != 1 {
		t.Errorf("it is gone: %+v", c)
	}
	if out := b.ok("dead-letter", "show", b.queue(deadletter.DeadFIFO).Peek()[0].ID); !strings.Contains(out, "find out which activity sent it") {
		t.Errorf("shown is\n%s", out)
	}
	b.ok("dead-letter", "delete", "--all", "--yes", "1")
	// What SQS gave up itself goes back with the name of its sender.
	if err := b.queue(deadletter.DeadFIFO).SendFrom(t.Context(), "AROAX:f", queue.Outgoing{Body: wake, Group: "order-1", DedupID: "2"}); err != nil {
		t.Fatal(err)
	}
	b.ok("dead-letter", "redrive", "--all")
	if m := b.queue(deadletter.Orchestrator).Peek(); len(m) != 1 || m[0].Attributes[wire.SenderAttribute] != "AROAX:f" {
		t.Errorf("redriven as %+v", m)
	}
}
