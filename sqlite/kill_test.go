package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/stage"
	"github.com/turnstile-go/turnstile/sqlite"
)

var (
	charge   = turnstile.NewActivity[string, int]("Charge").With(turnstile.AtMostOnce())
	ship     = turnstile.NewActivity[string, int]("Ship")
	part     = turnstile.NewEvent[int]("part")
	fulfil   = turnstile.NewOrchestration[string, fulfilled]("Fulfil")
	allParts = 1 | 2 | 4
)

// fulfilled is what came of an order.
type fulfilled struct {
	// Charged is 1, or 0 if the process died when it was to be charged; Shipped
	// counts to 3.
	Charged, Shipped int
	// Repeated counts parts that came a second time.
	Repeated int
}

// orders is an application that notes each effect that it has in a file.
func orders(effects string) *turnstile.App {
	effect := func(text string) (int, error) {
		f, err := os.OpenFile(effects, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return 0, err
		}
		_, err = io.WriteString(f, text+"\n")
		return 1, errors.Join(err, f.Close())
	}
	return turnstile.NewApp(
		charge.Implement(func(_ context.Context, id string) (int, error) { return effect("charge " + id) }),
		ship.Implement(func(_ context.Context, id string) (int, error) { return effect("ship " + id) }),
		fulfil.Implement(func(ctx turnstile.Context, id string) (f fulfilled, err error) {
			f.Charged, err = charge.Call(ctx, id)
			if failed, ok := errors.AsType[*turnstile.ActivityError](err); ok && failed.Kind == turnstile.KindInterrupted {
				err = nil
			}
			if err != nil {
				return f, err
			}
			for got := 0; got != allParts; {
				p, err := part.Wait(ctx)
				if err != nil {
					return f, err
				}
				if got&p != 0 {
					f.Repeated++
				}
				got |= p
			}
			if err := turnstile.Sleep(ctx, time.Millisecond); err != nil {
				return f, err
			}
			var sent []turnstile.Future[int]
			for i := range 3 {
				sent = append(sent, ship.Start(ctx, fmt.Sprintf("%s %d", id, i)))
			}
			for _, s := range sent {
				n, err := s.Await(ctx)
				if err != nil {
					return f, err
				}
				f.Shipped += n
			}
			return f, nil
		}),
	)
}

// serve runs the orders, and does what it reads: "start ID", "raise ID PART",
// "result ID", all at once, and answers each with "did" or "result".
func serve(dir string) error {
	db, err := sqlite.Open(dir)
	if err != nil {
		return err
	}
	env, err := embedded.New(orders(filepath.Join(dir, "effects")), embedded.WithDatabase(db),
		// Who is killed again and again would have its messages suspected, and its
		// instances wait for a minute.
		embedded.WithSettings(host.Settings{SuspectReceives: -1}))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	answers := make(chan string)
	go func() {
		for a := range answers {
			fmt.Println(a)
		}
	}()
	var all sync.WaitGroup
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		line := lines.Text()
		all.Go(func() {
			answer, err := do(ctx, env.Client(), line)
			if err != nil {
				fmt.Fprintln(os.Stderr, line, err)
				os.Exit(1)
			}
			answers <- answer
		})
	}
	all.Wait()
	stop()
	return errors.Join(lines.Err(), <-ended, db.Close())
}

func do(ctx context.Context, c *client.Client, line string) (answer string, err error) {
	words := strings.Fields(line)
	switch words[0] {
	case "start":
		// As a caller repeats a start that was not answered.
		_, err = client.Start(ctx, c, fulfil, words[1], client.WithInstanceID(words[1]), client.WithDeduplicationID("start "+words[1]))
	case "raise":
		var p int
		if _, err := fmt.Sscan(words[2], &p); err != nil {
			return "", err
		}
		err = client.Raise(ctx, c, part, words[1], p)
	case "result":
		f, err := client.Attach(c, fulfil, words[1]).Wait(ctx)
		return fmt.Sprintf("result %s %d %d %d", words[1], f.Charged, f.Shipped, f.Repeated), err
	}
	return "did " + line, err
}

// killed is a process that serves.
type served struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startServing(t *testing.T, dir string) *served {
	t.Helper()
	s := &served{t: t, cmd: other(t, "serve", dir)}
	s.cmd.Stderr = os.Stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewScanner(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *served) say(line string) {
	s.t.Helper()
	if _, err := fmt.Fprintln(s.in, line); err != nil {
		s.t.Fatal(err)
	}
}

func (s *served) hear() string {
	s.t.Helper()
	if !s.out.Scan() {
		s.t.Fatalf("the process ended: %v, %v", s.out.Err(), s.cmd.Wait())
	}
	return s.out.Text()
}

// A real process is killed many times at random moments in the middle of orders.
// In the end every order that was acknowledged is fulfilled, with every part that
// was, and what runs at most once has.
func TestAProcessIsKilledManyTimesAndNothingIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	const each = 6
	kills := stage.Cases(6, 15)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	// open are the commands that have not been answered, and twice those of them
	// that were given more than once.
	open, twice := map[string]bool{}, map[string]bool{}
	var ids []string
	next := func(answer string) {
		line := strings.TrimPrefix(answer, "did ")
		delete(open, line)
		if id, started := strings.CutPrefix(line, "start "); started {
			for p := 1; p < allParts; p *= 2 {
				open[fmt.Sprintf("raise %s %d", id, p)] = true
			}
		}
	}
	for round := range kills + 1 {
		s := startServing(t, dir)
		given := map[string]bool{}
		give := func(again bool) {
			for line := range open {
				if !given[line] {
					given[line] = true
					twice[line] = twice[line] || again
					s.say(line)
				}
			}
		}
		give(true)
		if round < kills {
			for i := range each {
				id := fmt.Sprintf("order-%d-%d", round, i)
				ids = append(ids, id)
				open["start "+id] = true
			}
			give(false)
			for range random.IntN(4*each + 1) {
				next(s.hear())
				give(false)
			}
			if err := s.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			// What it has said before it died counts.
			for s.out.Scan() {
				next(s.out.Text())
			}
			_ = s.cmd.Wait() // It was killed.
			continue
		}
		for len(open) > 0 {
			next(s.hear())
			give(false)
		}
		for _, id := range ids {
			s.say("result " + id)
		}
		interrupted := 0
		for range ids {
			var id string
			var f fulfilled
			if _, err := fmt.Sscanf(s.hear(), "result %s %d %d %d", &id, &f.Charged, &f.Shipped, &f.Repeated); err != nil {
				t.Fatal(err)
			}
			again := 0
			for p := 1; p < allParts; p *= 2 {
				if twice[fmt.Sprintf("raise %s %d", id, p)] {
					again++
				}
			}
			if f.Shipped != 3 || f.Repeated > again*kills || again == 0 && f.Repeated > 0 {
				t.Errorf("%s: %+v, with %d parts that were sent again", id, f, again)
			}
			interrupted += 1 - f.Charged
		}
		if err := s.in.Close(); err != nil {
			t.Fatal(err)
		}
		if err := s.cmd.Wait(); err != nil {
			t.Error(err)
		}
		checkEffects(t, filepath.Join(dir, "effects"), ids, interrupted)
	}
}

// checkEffects checks that everything was shipped, and that nobody was charged
// twice.
func checkEffects(t *testing.T, name string, ids []string, interrupted int) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for line := range strings.Lines(string(content)) {
		times[strings.TrimSpace(line)]++
	}
	charged, again := 0, 0
	for _, id := range ids {
		if n := times["charge "+id]; n > 1 {
			t.Errorf("%s was charged %d times", id, n)
		} else {
			charged += n
		}
		for i := range 3 {
			n := times[fmt.Sprintf("ship %s %d", id, i)]
			if n == 0 {
				t.Errorf("part %d of %s was not shipped", i, id)
			}
			again += n - 1
		}
	}
	if charged < len(ids)-interrupted {
		t.Errorf("%d of %d were charged, and %d charges were interrupted", charged, len(ids), interrupted)
	}
	t.Logf("%d orders; %d charges were interrupted, %d parts were shipped again", len(ids), interrupted, again)
}
