package sqlite_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/stage"
	"github.com/turnstile-go/turnstile/journal"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/store"
)

// state is what a database has: a line for each turn, message and schedule.
type state map[string]bool

func (s state) String() string { return strings.Join(slices.Sorted(maps.Keys(s)), ", ") }

// stateOf reads a database.
func stateOf(t *testing.T, db *sqlite.DB) state {
	t.Helper()
	s := state{}
	for i := range crashInstances {
		turns, err := db.Store().Read(t.Context(), crashInstance(i), 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range turns {
			s[fmt.Sprintf("turn %d of %s", turn.First(), turn.Instance)] = true
		}
	}
	messages, err := db.Queue("q").Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages.Messages {
		s["message "+m.Body] = true
	}
	schedules, err := db.Timer().Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range schedules {
		s["schedule "+x.Name] = true
	}
	return s
}

const crashInstances = 3

func crashInstance(i int) string { return fmt.Sprintf("i-%d", i) }

// crashed does random things on a database on a disk, and returns how the
// database stood after each, and how many of them are known to be durable.
func crashed(t *testing.T, db *sqlite.DB, random *rand.Rand) (states []state, durable int) {
	t.Helper()
	q, err := memoryqueue.New(memoryqueue.Options{Name: "q", Journal: db.Queue("q")})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	now := state{}
	states = []state{maps.Clone(now)}
	did := func() { states = append(states, maps.Clone(now)) }
	var next [crashInstances]int64
	var schedules []string
	for i := range 20 + random.IntN(60) {
		switch random.IntN(20) {
		case 0:
			n := random.IntN(crashInstances)
			next[n]++
			turn := aTurn(crashInstance(n), next[n])
			turn.Events[0].Payload = []byte(`"` + strings.Repeat("x", random.IntN(9000)) + `"`)
			now[fmt.Sprintf("turn %d of %s", next[n], turn.Instance)] = true
			did()
			if err := db.Store().Commit(t.Context(), store.Commit{Turns: []store.Turn{turn}}); err != nil {
				t.Fatal(err)
			}
			durable = len(states) - 1
		case 1, 8, 9, 10:
			if err := db.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			durable = len(states) - 1
		case 2, 3, 11:
			body := fmt.Sprint(i)
			now["message "+body] = true
			did()
			if err := q.Send(t.Context(), queue.Outgoing{Body: body}); err != nil {
				t.Fatal(err)
			}
		case 4, 12, 13:
			received, err := q.Receive(t.Context(), 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range received {
				delete(now, "message "+m.Body)
				did()
				if err := q.Delete(t.Context(), m); err != nil {
					t.Fatal(err)
				}
			}
		case 5:
			name := fmt.Sprint(i)
			schedules = append(schedules, name)
			now["schedule "+name] = true
			did()
			db.Timer().Created(journal.Schedule{Name: name, Due: time.Now().Add(time.Hour), Body: "x"})
		case 6:
			if len(schedules) > 0 {
				name := schedules[0]
				schedules = schedules[1:]
				delete(now, "schedule "+name)
				did()
				db.Timer().Removed(name)
			}
		default:
			db.WriteNotes()
		}
	}
	return states, durable
}

// aTurn is a turn of one event.
func aTurn(instance string, eventID int64) store.Turn {
	return store.Turn{Instance: instance, ExecutionID: 1, Token: "t", Events: []history.Event{{Kind: history.ExternalEvent, EventID: eventID, Payload: []byte("1")}}}
}

// What a crash takes away is the end of what was done, and nothing that was
// acknowledged: with Full not when power fails either.
func TestACrashTakesAwayTheEndAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, level := range []sqlite.Level{sqlite.Full, sqlite.Normal} {
		for seed := range stage.Cases(10, 40) {
			t.Run(fmt.Sprintf("level %d, seed %d", level, seed), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(uint64(seed), uint64(level)))
				disk := newDisk(t)
				db := open(t, sqlite.VFS(disk.name), sqlite.WithDurability(level))
				states, durable := crashed(t, db, random)
				lost := 0
				for name, crash := range map[string]struct {
					dir  string
					kept int
				}{"killed": {disk.kill(t), durable}, "power cut": {disk.cut(t, random), map[sqlite.Level]int{sqlite.Full: durable}[level]}} {
					got := stateOf(t, openIn(t, crash.dir))
					at := slices.IndexFunc(states[crash.kept:], func(s state) bool { return maps.Equal(s, got) })
					if at < 0 {
						t.Errorf("%s: left is\n %s\nwhich it never was since what was acknowledged:\n %s", name, got, states[crash.kept])
					}
					lost += len(states) - 1 - crash.kept - at
				}
				t.Logf("%d of %d steps lost", lost, len(states))
			})
		}
	}
}
