package turnstiletest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/exports"
	"github.com/turnstile-go/turnstile/internal/recording"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// soldOnce is a scenario that fails its crash test: its activity sells only once.
func soldOnce() (*turnstile.App, func(*turnstiletest.Env)) {
	sold := map[int]bool{}
	app := flow(func(ctx turnstile.Context, n int) (string, error) { return charge.Call(ctx, n) },
		charge.Implement(func(_ context.Context, n int) (string, error) {
			if sold[n] {
				return "", turnstile.NonRetryable(errors.New("sold already"))
			}
			sold[n] = true
			return "ticket", nil
		}))
	return app, func(env *turnstiletest.Env) {
		clear(sold)
		_, _ = turnstiletest.Start(env, fulfil, 1, client.WithInstanceID("concert/17")).Wait()
	}
}

// called is a recorder with a name, like a *testing.T.
type called struct {
	recorder
	name string
}

func (c *called) Name() string { return c.name }
func (c *called) Failed() bool { return len(c.texts) > 0 }

// keptIn returns the file that a failure names.
var keptIn = regexp.MustCompile(`The run is kept in (\S+)\n`)

func keptFile(t *testing.T, text string) string {
	t.Helper()
	all := keptIn.FindAllStringSubmatch(text, -1)
	if len(all) != 1 {
		t.Fatalf("it names %d files, want one:\n%s", len(all), text)
	}
	return all[0][1]
}

// failing runs a crash test that fails, with this name, and returns its text, including logs.
func failing(name string, app *turnstile.App, run func(turnstiletest.T) func(*turnstiletest.Env)) string {
	c := &called{name: name}
	left := make(chan struct{})
	go func() {
		defer close(left)
		defer func() { _ = recover() }() // Ends the test.
		turnstiletest.CrashTest(c, app, run(c))
	}()
	<-left
	return strings.Join(append(c.texts, c.logs...), "\n")
}

func TestAFailedRunIsKeptWithItsHistories(t *testing.T) {
	t.Parallel()
	app, scenario := soldOnce()
	text := failing("TestSale/of two: 1", app, func(turnstiletest.T) func(*turnstiletest.Env) { return scenario })
	mentions(t, text, "sold already", "choose that file under Inspect")
	// The number of calls depends on the host.
	crash := regexp.MustCompile(`run (\d+), with a crash before call \d+ of \d+`).FindStringSubmatch(text)
	if crash == nil {
		t.Fatalf("it does not say which run it was:\n%s", text)
	}
	file := keptFile(t, text)
	if base := filepath.Base(file); base != "turnstiletest.TestSale-of-two--1-run-"+crash[1]+".json" {
		t.Errorf("the file is called %s", base)
	}
	r := readKept(t, file)
	mentions(t, r.Title, "TestSale/of two: 1, "+crash[0])
	mentions(t, r.Text, "- instance", "sold already")
	if len(r.Histories) != 1 || r.Histories[0].Instance != "concert/17" {
		t.Fatalf("it holds %+v", r.Histories)
	}
	turns, known := exports.Turns(r.Histories[0])
	if got := turnstiletest.History(r.Histories[0].Events).String(); got != "Started Act(Charge) Failed(application)←2 Failed(application)" || !known || len(turns) != 2 {
		t.Errorf("its history is %s in %d turns", got, len(turns))
	}
}

func readKept(t *testing.T, file string) *recording.Recording {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recording.Decode(data)
	if err != nil || r.Kind != recording.KindRun {
		t.Fatalf("%s is read as %+v, %v", file, r, err)
	}
	return r
}

func TestARunIsKeptHoweverItFails(t *testing.T) {
	t.Parallel()
	app := flow(func(turnstile.Context, int) (string, error) { return "done", nil })
	for name, fail := range map[string]func(t turnstiletest.T, env *turnstiletest.Env){
		"the scenario says Errorf": func(t turnstiletest.T, _ *turnstiletest.Env) { t.Errorf("not what was wanted") },
		"the scenario says Fatalf": func(t turnstiletest.T, _ *turnstiletest.Env) { t.Fatalf("not what was wanted") },
		"the kit finds it": func(_ turnstiletest.T, env *turnstiletest.Env) {
			_, _ = turnstiletest.Instance(env, fulfil, "nobody").Wait()
		},
		"a history that is another": func(_ turnstiletest.T, env *turnstiletest.Env) {
			turnstiletest.Instance(env, fulfil, "x").AssertHistory("Started")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs := 0
			text := failing(t.Name(), app, func(outer turnstiletest.T) func(*turnstiletest.Env) {
				return func(env *turnstiletest.Env) {
					_, _ = turnstiletest.Start(env, fulfil, 1, client.WithInstanceID("x")).Wait()
					if runs++; runs == 3 {
						fail(outer, env)
					}
				}
			})
			if r := readKept(t, keptFile(t, text)); !strings.Contains(r.Title, "run 3, with every turn replayed") || len(r.Histories) != 1 {
				t.Errorf("it is %q, with %d histories", r.Title, len(r.Histories))
			}
		})
	}
}

// A run that ends without a failure is not kept.
func TestACrashTestThatPassesKeepsNothing(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TURNSTILE_CRASH_TESTS", folder)
	turnstiletest.CrashTest(t, flow(func(turnstile.Context, int) (string, error) { return "", nil }), func(env *turnstiletest.Env) {
		_, _ = turnstiletest.Start(env, fulfil, 1).Wait()
	})
	if files, err := os.ReadDir(folder); err != nil || len(files) > 0 {
		t.Errorf("it keeps %v, %v", files, err)
	}
}

// In a separate process, because only go test sets where artifacts are kept.
func TestWhereAFailingRunIsKept(t *testing.T) {
	t.Parallel()
	if os.Getenv(crashTestHelper) != "" {
		app, scenario := soldOnce()
		turnstiletest.CrashTest(t, app, scenario)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want func(tmp, out string) string
	}{
		"among temporary files":               {nil, func(tmp, _ string) string { return filepath.Join(tmp, "turnstile-crash-tests") }},
		"among artifacts where they are kept": {[]string{"-test.artifacts"}, func(_, out string) string { return filepath.Join(out, "_artifacts") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tmp, out := t.TempDir(), t.TempDir()
			cmd := exec.CommandContext(t.Context(), self, append(c.args, "-test.run=^TestWhereAFailingRunIsKept$", "-test.outputdir="+out)...)
			cmd.Env = append(os.Environ(), crashTestHelper+"=1", "TURNSTILE_CRASH_TESTS=", "TMPDIR="+tmp, "TMP="+tmp, "TEMP="+tmp)
			text, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("the crash test passed:\n%s", text)
			}
			file := keptFile(t, string(text))
			if want := c.want(tmp, out); !strings.HasPrefix(file, want+string(filepath.Separator)) {
				t.Errorf("it is kept in %s, want it below %s", file, want)
			}
			if r := readKept(t, file); len(r.Histories) != 1 {
				t.Errorf("it holds %+v", r)
			}
		})
	}
}
