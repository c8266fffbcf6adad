package sqlite_test

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/internal/queue"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
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

// How often each message was received is kept over an end that is clean: of one that
// was received again the last count, whichever of them was written when.
func TestReceivesAreCountedOverAnEndThatIsClean(t *testing.T) {
	t.Parallel()
	const most = 4
	dir := t.TempDir()
	for run := range 3 {
		db := openIn(t, dir)
		// Two runtimes, one after the other, of one process.
		for part := range 2 {
			q := openQueue(t, memoryqueue.Options{Name: "q", Journal: db.Queue("q")})
			if run == 0 && part == 0 {
				for n := range most {
					if err := q.Send(t.Context(), queue.Outgoing{Body: fmt.Sprint(n)}); err != nil {
						t.Fatal(err)
					}
				}
			}
			for round := range most {
				got, err := q.Receive(t.Context(), most, 0)
				if err != nil || len(got) != most {
					t.Fatalf("received %d, %v", len(got), err)
				}
				for _, m := range got {
					if before := (2*run + part) * most; m.ReceiveCount != before+round+1 {
						t.Errorf("run %d, part %d: %s was received %d times, want %d", run, part, m.Body, m.ReceiveCount, before+round+1)
					}
				}
				if err := q.SetVisibility(t.Context(), 0, got...); err != nil {
					t.Fatal(err)
				}
				if round == run {
					db.WriteNotes() // At times in the middle.
				}
			}
			q.Close()
			if err := db.Release(); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// One that was received once and comes back is received twice, though only the
// second time was written.
func TestASecondReceiveIsNotTakenForTheFirst(t *testing.T) {
	t.Parallel()
	for _, receives := range []int{0, 1, 2, 3} {
		dir := t.TempDir()
		db := openIn(t, dir)
		q := openQueue(t, memoryqueue.Options{Name: "q", Journal: db.Queue("q")})
		if err := q.Send(t.Context(), queue.Outgoing{Body: "x"}); err != nil {
			t.Fatal(err)
		}
		for range receives {
			m, err := q.Receive(t.Context(), 1, 0)
			if err == nil {
				err = q.SetVisibility(t.Context(), 0, m...)
			}
			if err != nil || len(m) != 1 {
				t.Fatal(m, err)
			}
		}
		q.Close()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		kept, err := openIn(t, dir).Queue("q").Load()
		if err != nil || len(kept.Messages) != 1 || kept.Messages[0].ReceiveCount != receives {
			t.Errorf("received %d times, and kept are %+v, %v", receives, kept.Messages, err)
		}
	}
}
