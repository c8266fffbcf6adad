package dynamo_test

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// restored returns new tables with what stands in these now: what a restore to a
// point in time makes.
func (l *local) restored(t *testing.T) *local {
	t.Helper()
	to := openLocal(t, nil)
	for _, table := range [][2]string{
		{l.config.Tables.History, to.config.Tables.History}, {l.config.Tables.Instances, to.config.Tables.Instances},
		{l.config.Tables.Activities, to.config.Tables.Activities}, {l.config.Tables.Keys, to.config.Tables.Keys},
	} {
		pages := dynamodb.NewScanPaginator(l.client, &dynamodb.ScanInput{TableName: aws.String(table[0])})
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range page.Items {
				if _, err := l.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table[1]), Item: item}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return to
}

// Tables that are restored to a point in time meet messages of later, or none of
// those that were under way (docs/operations.md, "Restore"). With the queues
// emptied and each instance woken that has not ended, all of them go on: what was done behind
// the point is done again, and what was raised behind it has to be raised again.
func TestRestoredTablesContinue(t *testing.T) {
	t.Parallel()
	l := openLocal(t, nil)
	var mu sync.Mutex
	done := map[string]int{}
	does := func(name string) func(context.Context, string) (string, error) {
		return func(_ context.Context, order string) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			done[name+" "+order]++
			return name, nil
		}
	}
	charge := turnstile.NewActivity[string, string]("Charge")
	ship := turnstile.NewActivity[string, string]("Ship")
	approved := turnstile.NewEvent[string]("approved")
	order := turnstile.NewOrchestration[string, string]("Order")
	app := turnstile.NewApp(charge.Implement(does("Charge")), ship.Implement(does("Ship")), order.Implement(func(ctx turnstile.Context, in string) (string, error) {
		if _, err := charge.Call(ctx, in); err != nil {
			return "", err
		}
		if err := turnstile.Sleep(ctx, 20*24*time.Hour); err != nil {
			return "", err
		}
		if _, err := approved.Wait(ctx); err != nil {
			return "", err
		}
		return ship.Call(ctx, in)
	}))
	before := newStack(t, l, app, nil)
	start := func(id string) {
		t.Helper()
		if _, err := client.Start(t.Context(), before.client, order, id, client.WithInstanceID(id)); err != nil {
			t.Fatal(err)
		}
	}
	start("waits")
	if _, err := client.Start(t.Context(), before.client, order, "scheduled", client.WithInstanceID("scheduled"), client.StartAfter(20*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	before.settle()
	start("under-way") // its first activity is in the queue
	first, err := before.queues.Orchestrator.Receive(t.Context(), 1, 0)
	if err != nil || len(first) != 1 {
		t.Fatalf("%v, %d messages", err, len(first))
	}
	before.take(first, before.queues.Sources()[0])
	answer := answerTo(store.AnswerKey{Instance: "waits", StartID: "start-1", ID: "approve-1"})
	if err := l.PutAnswer(t.Context(), answer); err != nil {
		t.Fatal(err)
	}

	point := l.restored(t)

	// What happens behind the point is lost with it.
	before.settle()
	start("later")
	before.settle()
	before.clock.Advance(21 * 24 * time.Hour)
	for _, id := range []string{"waits", "under-way", "later"} {
		if err := client.Raise(t.Context(), before.client, approved, id, "yes"); err != nil {
			t.Fatal(err)
		}
	}
	before.settle()
	if d, err := before.client.Describe(t.Context(), "under-way"); err != nil || d.Status != client.StatusCompleted {
		t.Fatalf("%v, before the restore it is %v", err, d.Status)
	}
	var late string // a message of behind the point that is still in a queue
	for _, body := range before.bodies {
		if item, err := wire.Parse([]byte(body)); err == nil && item.Kind == wire.ActivityCompleted && item.Instance == "waits" && item.SourceEventID > 4 {
			item.SentMS = 0 // However long it takes to come.
			text, err := item.Encode()
			if err != nil {
				t.Fatal(err)
			}
			late = string(text)
		}
	}
	if late == "" {
		t.Fatal("nothing was completed behind the point")
	}

	if a, err := point.ReadAnswer(t.Context(), answer.AnswerKey); err != nil || !reflect.DeepEqual(a, answer) {
		t.Errorf("the restored answer to an update is %+v, %v", a, err)
	}
	after := newStack(t, point, app, nil)
	var ids []string
	for _, status := range []client.Status{client.StatusRunning, client.StatusScheduled} {
		page, err := after.client.List(t.Context(), client.ListQuery{Status: status})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range page.Instances {
			ids = append(ids, d.Instance)
			if err := after.client.Wake(t.Context(), d.Instance); err != nil {
				t.Fatal(err)
			}
		}
	}
	if slices.Sort(ids); !slices.Equal(ids, []string{"scheduled", "under-way", "waits"}) {
		t.Fatalf("the restored tables have %v", ids)
	}
	after.settle()
	sendLate := func(id string) {
		t.Helper()
		if err := after.queues.Orchestrator.Send(t.Context(), queue.Outgoing{Body: late, Group: "waits", DedupID: id}); err != nil {
			t.Fatal(err)
		}
	}
	sendLate("ahead") // There is none yet that has its id.
	after.settle()
	after.clock.Advance(21 * 24 * time.Hour)
	after.settle()
	after.clock.Advance(21 * 24 * time.Hour)
	for _, id := range ids {
		if err := client.Raise(t.Context(), after.client, approved, id, "yes"); err != nil {
			t.Fatal(err)
		}
	}
	sendLate("behind")
	after.settle()
	if n := after.queues.DeadFIFO.Counts().Total(); n != 0 {
		t.Errorf("%d dead letters; the completion of what was lost is late", n)
	}
	for _, id := range ids {
		if d, err := after.client.Describe(t.Context(), id); err != nil || d.Status != client.StatusCompleted {
			t.Errorf("%s: %v, it is %v", id, err, d.Status)
		}
	}
	if d, err := after.client.Describe(t.Context(), "later"); err == nil {
		t.Errorf("what was started behind the point is %v", d.Status)
	}
	want := map[string]int{"Charge waits": 1, "Charge under-way": 2, "Charge later": 1, "Charge scheduled": 2, "Ship scheduled": 1, "Ship waits": 2, "Ship under-way": 2, "Ship later": 1}
	for what, n := range want {
		if done[what] != n {
			t.Errorf("%s: %d times, want %d", what, done[what], n)
		}
	}
}
