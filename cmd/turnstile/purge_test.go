package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// putFamily has a parent with two children, one of which has a child.
func (b *bench) putFamily(id string) {
	put := func(id, parent string, children ...string) {
		events := []history.Event{{Kind: history.OrchestrationStarted, Name: "Claim", Payload: []byte(`{"name":"Ada"}`), Start: &history.Start{ExecutionID: 1}}}
		for _, child := range children {
			events = append(events, history.Event{Kind: history.SubOrchestrationScheduled, Name: "Claim", Instance: child})
		}
		r := store.Record{Instance: id, Name: "Claim", Status: store.StatusCompleted, CreatedAt: epoch, EndedAt: epoch}
		if parent != "" {
			r.Parent = &history.Parent{Instance: parent, ExecutionID: 1, EventID: 2}
		}
		b.put(r, append(events, history.Event{Kind: history.OrchestrationCompleted})...)
	}
	put(id, "", id+"/1/2", id+"/1/3")
	put(id+"/1/2", id)
	put(id+"/1/3", id, id+"/1/3/1/2")
	put(id+"/1/3/1/2", id+"/1/3")
}

// purged are the instances to which a purge was sent.
func (b *bench) purged() (all []string) {
	for _, m := range b.queue(deadletter.Orchestrator).Peek() {
		if item, err := wire.ParseText(m.Body); err != nil {
			b.t.Fatal(err)
		} else if item.Kind == wire.PurgeInstance {
			all = append(all, item.Instance)
		}
	}
	slices.Sort(all)
	return all
}

func TestAPurgeNamesTheChildrenThatRemain(t *testing.T) {
	t.Parallel()
	const three = "  claim-1/1/2\n  claim-1/1/3\n  claim-1/1/3/1/2\n"
	b := newBench(t)
	b.putFamily("claim-1")
	r := b.run("purge", "claim-1", "--dry-run")
	if want := "would purge 1 instance; nothing was done\n3 children would remain, with inputs and results: --children purges them too\n" + three; r.status != exitOK || r.err != want || r.out != "claim-1\tcompleted\n" {
		t.Errorf("the dry run says %+v", r)
	}
	if r = b.run("purge", "claim-1", "--children", "--dry-run"); r.status != exitOK || strings.Contains(r.err, "remain") {
		t.Errorf("with the children the dry run says %+v", r)
	}
	b.fails(exitNotFound, []string{`no instance "nobody"`}, "purge", "nobody", "--dry-run")
	// Of a selection those remain that are not selected themselves.
	r = b.run("purge", "--prefix", "claim-1", "--dry-run")
	if r.status != exitOK || strings.Contains(r.err, "remain") || !strings.Contains(r.err, "would purge 4 instances") {
		t.Errorf("of all four the dry run says %+v", r)
	}
	b.put(store.Record{Instance: "claim-1/1/9", Name: "Other", Status: store.StatusCompleted, CreatedAt: epoch, EndedAt: epoch, Parent: &history.Parent{Instance: "claim-2", ExecutionID: 1, EventID: 9}})
	b.putFamily("claim-2")
	var batch struct{ Left []string }
	if err := json.Unmarshal([]byte(b.ok("purge", "--prefix", "claim-2/1/3", "--name", "Claim", "--dry-run", "--output", "json")), &batch); err != nil || len(batch.Left) != 0 {
		t.Errorf("of a child and its child %v remain (%v)", batch.Left, err)
	}
	if purged := b.purged(); len(purged) != 0 {
		t.Fatalf("dry runs have purged %v", purged)
	}
	r = b.run("purge", "claim-1")
	if want := "sent: purge for claim-1\n3 children remain, with inputs and results: purge them by their ids; next time, --children purges children with their parent\n" + three; r.status != exitOK || r.err != want {
		t.Errorf("it says %+v", r)
	}
	r = b.run("purge", "--prefix", "claim-2/1/3", "--name", "Claim", "--yes", "2")
	if r.status != exitOK || strings.Contains(r.err, "remain") {
		t.Errorf("it says %+v", r)
	}
	if purged := b.purged(); strings.Join(purged, " ") != "claim-1 claim-2/1/3 claim-2/1/3/1/2" {
		t.Errorf("purged are %v", purged)
	}
	b.fails(exitUsage, []string{`--yes confirms a selection by flags: leave it out, because "claim-2" is named`}, "purge", "claim-2", "--yes", "1")
	b.fails(exitUsage, []string{`--dry-run shows a selection by flags: leave it out, because "claim-2" is named`}, "cancel", "claim-2", "--dry-run")
}
