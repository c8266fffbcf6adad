//go:build unix

package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/screen"
	"github.com/turnstile-go/turnstile/internal/stage"
)

// shop is a new project, of which turnstile dev runs until the test ends.
type shop struct {
	*testing.T
	folder string
	out    *screen.Screen
	stop   context.CancelFunc
	status chan int
}

// newProject makes a project on the tree that is tested.
func newProject(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "Ann's shop + größe", "shop")
	if err := os.Mkdir(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := newBench(t).run("new", "--module", "example.com/shop", "--replace", "../..", folder); r.status != exitOK {
		t.Fatalf("turnstile new: exit status %d\n%s%s", r.status, r.out, r.err)
	}
	return folder
}

// runDev runs turnstile dev in the project, at a terminal that is to show no colours.
func runDev(t *testing.T, out *screen.Screen, args ...string) (stop context.CancelFunc, status chan int) {
	ctx, stop := context.WithCancel(context.Background())
	status = make(chan int, 1)
	c := cli{out: out, err: out, getenv: func(string) string { return "" }, now: time.Now, person: func(io.Writer) (int, bool) { return 100, true }}
	go func() {
		status <- c.run(ctx, append([]string{"dev", "--color", "never", "--addr", "127.0.0.1:0"}, args...))
	}()
	return stop, status
}

func (s *shop) edit(file, from, to string) {
	s.Helper()
	path := filepath.Join(s.folder, file)
	text, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		s.Fatalf("%s does not hold %q", file, from)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), from, to)), 0o644); err != nil {
		s.Fatal(err)
	}
}

// post asks the console for an action.
func (s *shop) post(url, body string) {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Turnstile-Action", "1")
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		s.Fatalf("POST %s: %s", url, answer.Status)
	}
}

// A day with turnstile dev: the project begins, is changed while an instance
// runs, in a way that does not fit, is mended, is broken, dies, and goes on.
func TestDev(t *testing.T) {
	stage.Builds(t)
	folder := newProject(t)
	// What go.mod names is where the test began.
	t.Chdir(folder)
	s := &shop{T: t, folder: folder, out: screen.New()}
	// So that the test knows which process the program is.
	s.edit("local/main.go", "func main() {\n", "func main() {\n\tslog.Info(\"begun\", \"process\", os.Getpid())\n")
	s.edit("local/main.go", "\"log/slog\"\n", "\"log/slog\"\n\t\"os\"\n")
	s.stop, s.status = runDev(t, s.out)
	defer s.stop()
	shows := func(pattern string) []string { t.Helper(); return s.out.WaitForNext(t, pattern) }

	shows(`turnstile dev: building ./local\n`)
	shows(`process=\d+`)
	console := shows(`console   (http://127.0.0.1:\d+/)\n`)[1]
	shows(`database  \.turnstile/turnstile.db\ninstances none yet\n`)
	shows(`customer-1  turn 1\n`)
	shows(`5 TimerCreated                7d00h\n`)

	// The instance runs across a change that fits; the console stays where it is.
	s.edit("app/mailer.go", `"mail", "to"`, `"a mail", "to"`)
	shows(`turnstile dev: app/mailer.go changed: building\n`)
	shows(`console   ` + console + `\n`)
	shows(`instances 1 running; the code agrees with their histories\n`)

	// One that does not fit is shown at once, with the diff; the right code mends it.
	s.edit("app/welcome.go", `"Please confirm."`, `"Please confirm!"`)
	shows(`instances 1 running; the code no longer agrees with the history of customer-1\n`)
	shows(`customer-1  stuck: nondeterminism, at event 2\n +- history has .*(\n +)?.*\n +\+ the code `)
	shows(`irm!`)
	shows(`at .*app/welcome.go:22\n`)
	s.edit("app/welcome.go", `"Please confirm!"`, `"Please confirm."`)
	shows(`customer-1  continues\n`)

	// What does not build leaves what runs.
	s.edit("app/welcome.go", `return "confirmed", nil`, `return "confirmed" nil`)
	shows(`app/welcome.go:\d+:\d+: syntax error`)
	shows(`turnstile dev: the build failed: see above. The old program keeps running. Save a file to try again.\n`)
	s.edit("app/welcome.go", `return "confirmed" nil`, `return "confirmed", nil`)
	pid, err := strconv.Atoi(shows(`process=(\d+)`)[1])
	if err != nil {
		t.Fatal(err)
	}
	shows(`instances 1 running; the code agrees`)

	// A second one is refused the database.
	other := screen.New()
	stop, status := runDev(t, other)
	defer stop()
	if got := <-status; got != exitFailed {
		t.Errorf("a second turnstile dev: exit status %d", got)
	}
	other.WaitForNext(t, `local: sqlite: .*turnstile.db is open in process `+strconv.Itoa(pid)+`; only one process may open it`)
	other.WaitForNext(t, `turnstile: dev: the program has ended: see above\n`)

	// A program that is killed is started again, and the instance goes on.
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	shows(`turnstile dev: the program crashed \(signal: killed\). It restarts in 1s.\n`)
	shows(`instances 1 running; the code agrees`)
	s.saysWhereItWaits()
	s.agentReplays()
	s.post(console+"api/v1/instances/customer-1/raise", `{"name":"confirmed","data":{}}`)
	shows(`OrchestrationCompleted      "confirmed"\n`)

	export := s.replays()
	s.stop()
	if got := <-s.status; got != exitOK {
		t.Errorf("it ends with exit status %d", got)
	}
	if conn, err := net.Dial("tcp", strings.Trim(strings.TrimPrefix(console, "http:"), "/")); err == nil {
		conn.Close()
		t.Error("the program lives on")
	}
	s.replaysChanged(export)

	// All is forgotten where that is asked for.
	again := screen.New()
	stop, status = runDev(t, again, "--reset")
	again.WaitForNext(t, `instances none yet\n(.*\n)+.*customer-1  turn 1\n`)
	stop()
	if got := <-status; got != exitOK {
		t.Errorf("it ends with exit status %d", got)
	}
}

// The program of a terminal that is closed ends, and leaves nothing. While it runs, --local finds it,
// also if its database is in another folder.
func TestDevEndsWithItsTerminal(t *testing.T) {
	stage.Builds(t)
	folder, temporary := newProject(t), t.TempDir()
	command := filepath.Join(t.TempDir(), "turnstile")
	if out, err := exec.Command("go", "build", "-o", command, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Chdir(folder)
	s := &shop{T: t, folder: folder, out: screen.New()}
	cmd := exec.Command(command, "dev", "--addr", "127.0.0.1:0", "--data", "../other data")
	cmd.Stdout, cmd.Stderr, cmd.Env = s.out, s.out, append(os.Environ(), "TMPDIR="+temporary)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	s.out.WaitForNext(t, `customer-1  turn 1\n`)
	if r := s.line("list", "--local", "--ids"); r.out != "customer-1\n" {
		t.Errorf("turnstile list --local: %s", r)
	}
	if _, err := os.Stat("../other data/turnstile.db"); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends by %v", err)
	}
	for _, pattern := range []string{filepath.Join(temporary, "turnstile-*"), ".turnstile/*", "../other data/console.url"} {
		if left, err := filepath.Glob(pattern); err != nil || len(left) > 0 {
			t.Errorf("it leaves %q, %v", left, err)
		}
	}
}

// line runs another command in the project's folder, as in a second terminal.
func (s *shop) line(args ...string) result {
	s.Helper()
	var out, errs strings.Builder
	c := cli{in: strings.NewReader(""), out: &out, err: &errs, getenv: func(string) string { return "" }, now: time.Now, open: backend.Open}
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	status := c.run(s.Context(), args)
	return result{status, out.String(), errs.String()}
}

// replays has an instance of the program that runs replayed with the code that it is
// made of, and returns a file with its history.
func (s *shop) replays() (export string) {
	s.Helper()
	if r := s.line("replay", "customer-1"); r.status != exitOK || !strings.Contains(r.out, "ok: the code here agrees with") || !strings.Contains(r.out, "of customer-1 (1 execution)") {
		s.Errorf("turnstile replay customer-1: %s", r)
	}
	if r := s.line("replay", "nobody"); r.status != exitNotFound || !strings.Contains(r.err, `no instance "nobody"`) {
		s.Errorf("turnstile replay nobody: %s", r)
	}
	r := s.line("history", "customer-1", "--export")
	if r.status != exitOK {
		s.Fatalf("turnstile history --export: %s", r)
	}
	export = filepath.Join(s.TempDir(), "customer-1.json")
	if err := os.WriteFile(export, []byte(r.out), 0o600); err != nil {
		s.Fatal(err)
	}
	return export
}

// saysWhereItWaits has the line of Go told at which an instance waits: by the program that
// runs, and by a replay.
func (s *shop) saysWhereItWaits() {
	s.Helper()
	waits := regexp.MustCompile(`(?m)^waits at .*app/welcome\.go:25 for event \d+, event \d+$`)
	for _, args := range [][]string{{"describe", "customer-1", "--code"}, {"replay", "customer-1"}} {
		if r := s.line(args...); r.status != exitOK || !waits.MatchString(r.out) {
			s.Errorf("turnstile %s does not say where it waits: %s", strings.Join(args, " "), r)
		}
	}
	var one api.Instance
	if r := s.line("describe", "customer-1", "--code", "--output", "json"); json.Unmarshal([]byte(r.out), &one) != nil || one.Code == nil || len(one.Code.Branches) != 1 || one.Code.Branches[0].Line != 25 {
		s.Errorf("turnstile describe --code --output json: %s", r)
	}
	var out api.Replayed
	if r := s.line("replay", "customer-1", "--output", "json"); json.Unmarshal([]byte(r.out), &out) != nil || !out.Agrees || len(out.Waits) != 1 || out.Waits[0].Branches[0].Line != 25 {
		s.Errorf("turnstile replay --output json: %s", r)
	}
}

// agentReplays has an agent ask whether the code agrees with a history of this program, and with one
// that is none of it.
func (s *shop) agentReplays() {
	s.Helper()
	plain := func() *cli { return &cli{now: time.Now, open: backend.Open, getenv: func(string) string { return "" }} }
	agentOn(s.T, plain(), "--local", "--project", ".").says("replay", `{"instance":"customer-1"}`, `"agrees":true`, `"line":25`)
	sampled(s.T).agent("--project", ".").says("replay", `{"instance":"order-1"}`, `"agrees":false`, `"problem":"`, "Fulfil")
}

// ownProgram is a program as docs/guide/one-machine.md has it.
const ownProgram = `package main

import (
	"context"
	"log"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/sqlite/local"

	"example.com/shop/app"
)

func main() {
	var mailer app.Mailer
	whole := turnstile.NewApp(app.Orchestrations(), app.Activities(mailer))
	local.ReplayIfAsked(whole)
	db, err := sqlite.Open("data")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	env, err := embedded.New(whole, embedded.WithDatabase(db))
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(env.Run(context.Background()))
}
`

// replaysOwnProgram replays a file with a main package that does not call local.Run.
// A package that does not answer is not run.
func (s *shop) replaysOwnProgram(export string) {
	s.Helper()
	if err := os.MkdirAll("cmd/server", 0o755); err != nil {
		s.Fatal(err)
	}
	for name, c := range map[string]struct {
		from, to string
		status   int
		says     string
	}{
		"as the guide has it": {"", "", exitOK, "agrees"},
		"one that does not ask": {"local.ReplayIfAsked(whole)\n", "_ = local.Run\n", exitFailed,
			"call local.ReplayIfAsked (module sqlite) first in main"},
		"one that cannot": {"local.ReplayIfAsked(whole)\n", "", exitFailed,
			"does not import github.com/turnstile-go/turnstile/sqlite/local, so it cannot replay"},
	} {
		text := strings.Replace(ownProgram, c.from, c.to, 1)
		if c.from != "" && c.to == "" {
			text = strings.Replace(text, "\t\"github.com/turnstile-go/turnstile/sqlite/local\"\n", "", 1)
		}
		if err := os.WriteFile("cmd/server/main.go", []byte(text), 0o644); err != nil {
			s.Fatal(err)
		}
		if r := s.line("replay", export, "./cmd/server"); r.status != c.status || !strings.Contains(r.out+r.err, c.says) {
			s.Errorf("turnstile replay with %s does not say %q: %s", name, c.says, r)
		}
	}
	if err := os.RemoveAll("cmd"); err != nil {
		s.Fatal(err)
	}
}

// replaysChanged replays a file, for which nothing has to run, with the code as it was
// and with code that it does not fit.
func (s *shop) replaysChanged(export string) {
	s.Helper()
	if r := s.line("replay", export); r.status != exitOK || !strings.Contains(r.out, "agrees") {
		s.Errorf("turnstile replay of a file: %s", r)
	}
	s.replaysOwnProgram(export)
	s.edit("app/welcome.go", `"Please confirm."`, `"Please confirm!"`)
	r := s.line("replay", export)
	if r.status != exitFailed || !strings.Contains(r.err, `the code does not agree with the history of "customer-1"; see docs/guide/versions.md`) {
		s.Errorf("turnstile replay with other code: %s", r)
	}
	for _, want := range []string{"at event 2", "history has", "Please confirm.", "Please confirm!", "app/welcome.go:22"} {
		if !strings.Contains(r.out, want) {
			s.Errorf("turnstile replay with other code does not say %q: %s", want, r)
		}
	}
	var out api.Replayed
	if r := s.line("replay", export, "--output", "json"); json.Unmarshal([]byte(r.out), &out) != nil || out.Agrees || out.Instance != "customer-1" || !strings.Contains(out.Problem, "welcome.go:22") {
		s.Errorf("turnstile replay --output json: %s", r)
	}
	if r := s.line("replay", export, "--all"); r.status != exitUsage || !strings.Contains(r.err, "need an instance") {
		s.Errorf("turnstile replay FILE --all: %s", r)
	}
	s.edit("app/welcome.go", `return "confirmed", nil`, `return "confirmed" nil`)
	if r := s.line("replay", export); r.status != exitFailed || !strings.Contains(r.err, "the build failed: see above") {
		s.Errorf("turnstile replay of what does not build: %s", r)
	}
	s.edit("app/welcome.go", `return "confirmed" nil`, `return "confirmed", nil`)
}

func TestDevSaysWhatIsMissing(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("GO111MODULE", "") // As a person has it.
	try := func(want string, args ...string) {
		t.Helper()
		if r := newBench(t).run(append([]string{"dev"}, args...)...); r.status != exitFailed || !strings.Contains(r.err, want) {
			t.Errorf("exit status %d, %q does not say %q", r.status, r.err, want)
		}
	}
	try("there is no Go module here: change to the folder of a project; `turnstile new FOLDER` creates one")
	if err := os.WriteFile("go.mod", []byte("module example.com/shop\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	try("package ./local, the program to build and run, does not exist: name another main package, or write local/main.go:\n\n\tpackage main")
	try("package ./cmd/one, the program to build and run, does not exist", "./cmd/one")
	if err := os.MkdirAll("app", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("app/app.go", []byte("package app\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	try("./app is package app: name a main package", "./app")
}

// The port of the default is passed on by number, so that the console stays
// where it is; what is taken gives way.
func TestWhereTheConsoleOfDevIs(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"127.0.0.1:0":    `^127\.0\.0\.1:[1-9]\d*$`,
		"":               `^127\.0\.0\.1:[1-9]\d*$`,
		"127.0.0.1:9999": `^127\.0\.0\.1:9999$`,
		"nonsense":       `^nonsense$`, // The program says what is wrong with it.
	} {
		if addr, _, err := chooseAddr(asked); err != nil || !regexp.MustCompile(want).MatchString(addr) {
			t.Errorf("asked for %q it is %q, %v", asked, addr, err)
		}
	}
}
