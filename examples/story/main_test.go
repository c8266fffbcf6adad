package story_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/story"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var nap = turnstile.NewOrchestration[int, int]("Nap")

func tell(ctx context.Context, t *story.Teller) error {
	s, err := t.New(func(*story.Story) *turnstile.App {
		return turnstile.NewApp(nap.Implement(func(ctx turnstile.Context, n int) (int, error) {
			return n, turnstile.Sleep(ctx, 40*24*time.Hour)
		}))
	})
	if err != nil {
		return err
	}
	run, err := client.Start(ctx, s.Client(), nap, 7, client.WithInstanceID("nap"))
	if err != nil {
		return err
	}
	s.At(24*time.Hour, func() error { return errors.New("nobody is awake") })
	return s.Until(ctx, func(ctx context.Context) error {
		n, err := run.Wait(ctx)
		s.Say("%d naps are over, %v", n, err)
		return err
	})
}

var sample = story.Sample{Name: "nap", Pace: time.Millisecond, Tell: tell}

func TestAStoryRunsInVirtualTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args   []string
		status int
		shows  []string
	}{
		"line by line":         {nil, 0, []string{"day   2  Jan 02 09:00  nobody is awake\n", "day  41  Feb 10 09:00  7 naps are over, <nil>\n"}},
		"and turn by turn":     {[]string{"-turns"}, 0, []string{"day   1  Jan 01 09:00  nap  turn 1\n", "TimerCreated                40d00h", "  7 naps are over"}},
		"not with other flags": {[]string{"-what"}, 2, []string{"-console"}},
		"nor with words":       {[]string{"what"}, 2, []string{`"what" is not a flag`}},
		"nor anywhere":         {[]string{"-console", "-addr=192.0.2.1:80"}, 1, []string{"nap: embedded: WithConsole", "not a loopback address"}},
		"but with help":        {[]string{"-help"}, 0, []string{"-pace"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if status := sample.Run(t.Context(), c.args, &out); status != c.status {
				t.Errorf("exit status %d, want %d", status, c.status)
			}
			for _, want := range c.shows {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it lacks %q:\n%s", want, out.String())
				}
			}
		})
	}
}

// The console stays after the end of the story, until it is interrupted.
func TestAStoryWithTheConsoleWaitsForItsReader(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	read, write := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- sample.Run(ctx, []string{"-console", "-addr=127.0.0.1:0"}, write)
		write.Close()
	}()
	var shown strings.Builder
	for line := make([]byte, 4096); !strings.Contains(shown.String(), "the story is over; the console stays until Ctrl-C"); {
		n, err := read.Read(line)
		if err != nil {
			t.Fatalf("it ends with %v:\n%s", err, shown.String())
		}
		shown.Write(line[:n])
	}
	address := regexp.MustCompile(`http://\S+/`).FindString(shown.String())
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get(address + "api/v1/instances/nap")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(body), `"completed"`) {
		t.Errorf("the console says %s, %v", body, err)
	}
	interrupt()
	go func() { _, _ = io.Copy(io.Discard, read) }()
	if status := <-ended; status != 0 {
		t.Errorf("exit status %d", status)
	}
}
