package local

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/screen"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/sqlite/internal/supervised"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	greet    = turnstile.NewActivity[string, string]("Greet")
	welcome  = turnstile.NewOrchestration[string, string]("Welcome")
	answered = turnstile.NewEvent[string]("answered")
)

// application greets with a text, which stands in the history.
func application(text string) *turnstile.App {
	return turnstile.NewApp(
		greet.Implement(func(_ context.Context, text string) (string, error) { return text, nil }),
		welcome.Implement(func(ctx turnstile.Context, who string) (string, error) {
			greeting, err := greet.Call(ctx, text+" "+who)
			if err != nil {
				return "", err
			}
			answer, err := answered.Wait(ctx)
			return greeting + ": " + answer, err
		}),
	)
}

func begin(ctx context.Context, c *client.Client) error {
	_, err := client.Start(ctx, c, welcome, "Ada", client.WithInstanceID("ada"), client.UseExisting())
	return err
}

// started is a program that runs.
type started struct {
	*testing.T
	out    *screen.Screen
	stop   context.CancelFunc
	status chan int
}

func start(t *testing.T, p process, app *turnstile.App, opts ...Option) *started {
	t.Helper()
	s := &started{T: t, out: screen.New(), status: make(chan int, 1)}
	p.args = append([]string{"local"}, p.args...)
	p.out, p.err = s.out, s.out
	if p.getenv == nil {
		p.getenv = func(string) string { return "" }
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	s.stop = stop
	go func() { s.status <- p.run(ctx, app, opts) }()
	return s
}

func in(dir string, more ...string) process {
	return process{args: append([]string{"-addr=127.0.0.1:0", "-data", dir}, more...)}
}

// shows returns when all of the texts have been shown.
func (s *started) shows(texts ...string) {
	s.Helper()
	s.out.WaitFor(s.T, texts...)
}

func (s *started) ends(status int) {
	s.Helper()
	if got := <-s.status; got != status {
		s.Errorf("exit status %d, want %d", got, status)
	}
}

func TestInstancesContinueWhereTheyWereWhenTheProgramEnded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first := start(t, in(dir), application("Hello"), OnStart(begin))
	first.shows("console   http://127.0.0.1:", "database  "+filepath.Join(dir, sqlite.FileName)+"\n", "instances none yet\n", "ActivityCompleted           ← 2 \"Hello Ada\"", "ExternalSubscribed          answered")
	first.stop()
	first.ends(exitDone)

	second := start(t, in(dir), application("Hello"), OnStart(func(ctx context.Context, c *client.Client) error {
		return errors.Join(begin(ctx, c), client.Raise(ctx, c, answered, "ada", "hi"))
	}))
	second.shows("instances 1 running; the code agrees with their histories\n", `OrchestrationCompleted      "Hello Ada: hi"`)
	second.stop()
	second.ends(exitDone)

	third := start(t, in(dir), application("Hello"))
	third.shows("instances none yet\n") // None that runs.
	third.stop()
	third.ends(exitDone)
}

func TestACodeThatNoLongerFitsIsShownAtOnceAndFixedByTheRightOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, in(dir), application("Hello"), OnStart(begin))
	first.shows("ExternalSubscribed")
	first.stop()
	first.ends(exitDone)

	changed := start(t, in(dir), application("Goodbye"), OnStart(begin))
	changed.shows("instances 1 running; the code no longer agrees with the history of ada\n", "  ada  stuck: nondeterminism, at event 2\n", `Goodbye Ada`, "run_test.go")
	changed.stop()
	changed.ends(exitDone)

	// Another change is another reason.
	again := start(t, in(dir), application("Evening"), OnStart(begin))
	again.shows("instances 1 stuck, tried again now\n", "  ada  stuck: nondeterminism, at event 2, try 2\n", `Evening Ada`)
	again.stop()
	again.ends(exitDone)

	mended := start(t, in(dir), application("Hello"), OnStart(begin))
	mended.shows("  ada  continues\n")
	mended.stop()
	mended.ends(exitDone)
}

// A recovery of a damaged file may lose the history of an instance and keep its record.
func TestAnInstanceWithoutItsHistoryDoesNotStopTheProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, in(dir), application("Hello"), OnStart(begin))
	first.shows("ExternalSubscribed")
	first.stop()
	first.ends(exitDone)
	db, err := sqlite.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Store().DeleteHistory(t.Context(), "ada", 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	second := start(t, in(dir), application("Hello"), OnStart(func(ctx context.Context, c *client.Client) error {
		_, err := client.Start(ctx, c, welcome, "Bob", client.WithInstanceID("bob"))
		return err
	}))
	second.shows("the history of ada is damaged", "  ada  corrupt", "Hello Bob")
	second.stop()
	second.ends(exitDone)
}

func TestResetForgetsAllInstances(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, in(dir), application("Hello"), OnStart(begin))
	first.shows("ExternalSubscribed")
	first.stop()
	first.ends(exitDone)
	second := start(t, in(dir, "-reset"), application("Goodbye"), OnStart(begin))
	second.shows("instances none yet\n", "Goodbye Ada", "ExternalSubscribed")
	// Nothing is taken away from a program that runs.
	third := start(t, in(dir, "-reset"), application("Hello"))
	third.ends(supervised.Refused)
	third.shows("local: sqlite: " + filepath.Join(dir, sqlite.FileName) + " is open in this process")
	second.stop()
	second.ends(exitDone)
}

func TestWhyItDoesNotRun(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	code := func(ctx turnstile.Context, who string) (string, error) { return who, nil }
	twice := turnstile.NewApp(welcome.Implement(code), welcome.Implement(code))
	for name, c := range map[string]struct {
		args   []string
		app    *turnstile.App
		option Option
		status int
		shows  string
	}{
		"a flag that is none":          {[]string{"-what"}, application(""), nil, exitUsage, "-data DIR"},
		"an argument":                  {[]string{"what"}, application(""), nil, exitUsage, "local: there is no argument what: see -help"},
		"help":                         {[]string{"-help"}, application(""), nil, exitDone, "start with an empty database"},
		"no application":               {nil, nil, nil, supervised.Failed, "local: embedded: the application is nil"},
		"one that cannot run":          {nil, twice, nil, supervised.Failed, "local: embedded: the application cannot run"},
		"what was to begin fails":      {nil, application(""), OnStart(func(context.Context, *client.Client) error { return errors.New("no") }), supervised.Failed, "local: the function of OnStart failed: no"},
		"an address that is taken":     {[]string{"-addr", taken.Addr().String()}, application(""), nil, supervised.Refused, "address already in use"},
		"an address that can't be":     {[]string{"-addr", "0.0.0.0:80"}, application(""), nil, supervised.Refused, "not a loopback address"},
		"a directory that can't be":    {[]string{"-data", "/dev/null/data"}, application(""), nil, supervised.Refused, "local: sqlite: "},
		"an option that cannot be had": {nil, application(""), WithEmbedded(embedded.WithWorkers(0)), supervised.Refused, "0 workers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := in(t.TempDir(), c.args...)
			if c.option == nil {
				c.option = WithEmbedded()
			}
			s := start(t, p, c.app, c.option)
			s.ends(c.status)
			s.shows(c.shows)
		})
	}
}

// One that `turnstile dev` has started takes its word for where, and ends with
// its standard input.
func TestASupervisedProgramEndsWithItsSupervisor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	env := map[string]string{supervised.Supervised: "1", supervised.Addr: "127.0.0.1:0", supervised.Data: dir}
	read, write := io.Pipe()
	s := start(t, process{getenv: func(name string) string { return env[name] }, in: read}, application("Hello"), OnStart(begin))
	s.shows("database  "+filepath.Join(dir, sqlite.FileName), "ExternalSubscribed")
	write.Close()
	s.ends(exitDone)
}
