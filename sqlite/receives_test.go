package sqlite_test

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/queue"
	memoryqueue "github.com/turnstile-go/turnstile/queue/memory"
	"github.com/turnstile-go/turnstile/sqlite"
)

// A message that ends its process each time it is received is counted each time,
// however soon that is, and the one beside it but once, for nobody knows.
func TestReceivesAreCountedOverCrashes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for run, want := range []string{"", "[killer 1 bystander 1]", "[killer 2 bystander 1]", "[killer 3 bystander 1]", "[killer 4 bystander 1]"} {
		disk := newDisk(t)
		db := openIn(t, dir, sqlite.VFS(disk.name))
		journal := db.Queue("q")
		if run > 0 {
			kept, err := journal.Load()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range kept.Messages {
				got = append(got, m.Body, fmt.Sprint(m.ReceiveCount))
			}
			if fmt.Sprint(got) != want {
				t.Errorf("run %d found %v, want %s", run, got, want)
			}
		}
		q := openQueue(t, memoryqueue.Options{Name: "q", Journal: journal})
		if run == 0 {
			if err := q.Send(t.Context(), queue.Outgoing{Body: "killer"}, queue.Outgoing{Body: "bystander"}); err != nil {
				t.Fatal(err)
			}
			if err := db.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if m, err := q.Receive(t.Context(), 1, 0); err != nil || len(m) != 1 || m[0].Body != "killer" {
			t.Fatalf("received %v, %v", m, err)
		}
		dir = disk.kill(t)
	}
	// Closed, it is exact.
	db := openIn(t, dir)
	q := openQueue(t, memoryqueue.Options{Name: "q", Journal: db.Queue("q")})
	if err := q.Send(t.Context(), queue.Outgoing{Body: "received"}, queue.Outgoing{Body: "not received"}); err != nil {
		t.Fatal(err)
	}
	if m, err := q.Receive(t.Context(), 3, 0); err != nil || len(m) != 3 {
		t.Fatalf("received %v, %v", m, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	kept, err := openIn(t, dir).Queue("q").Load()
	if err != nil || len(kept.Messages) != 4 {
		t.Fatalf("kept are %v, %v", kept.Messages, err)
	}
	for i, want := range []int{6, 2, 1, 0} {
		if m := kept.Messages[i]; m.ReceiveCount != want {
			t.Errorf("%s was received %d times, want %d", m.Body, m.ReceiveCount, want)
		}
	}
}
