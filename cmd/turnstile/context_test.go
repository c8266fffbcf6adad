package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/dev"
)

// withContexts has one context for a stack, which is the current one, and one for a server.
func withContexts(t *testing.T) *bench {
	b := newBench(t)
	b.ok("context", "add", "prod", "--stack", "shop", "--region", "eu-central-1", "--profile", "ops", "--use")
	b.ok("context", "add", "till", "--console", "http://127.0.0.1:8876/", "--key-file", "keys")
	return b
}

func TestAContextIsTheFlagsThatItWasMadeOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about, args, variables string
		want                   backend.Settings
	}{
		{"the current one", "list", "", backend.Settings{Stack: "shop", Region: "eu-central-1", Profile: "ops"}},
		{"by name", "list --context till", "", backend.Settings{Console: "http://127.0.0.1:8876/", KeyFile: "keys"}},
		{"by variable", "list", "TURNSTILE_CONTEXT=till", backend.Settings{Console: "http://127.0.0.1:8876/", KeyFile: "keys"}},
		{"a flag changes it", "list --context prod --region us-east-1", "", backend.Settings{Stack: "shop", Region: "us-east-1", Profile: "ops"}},
		{"its name goes before other variables", "list --context prod", "TURNSTILE_CONSOLE_URL=http://h/ TURNSTILE_STACK=other", backend.Settings{Stack: "shop", Region: "eu-central-1", Profile: "ops"}},
		{"so does the variable of its name", "list", "TURNSTILE_CONTEXT=prod TURNSTILE_STACK=other", backend.Settings{Stack: "shop", Region: "eu-central-1", Profile: "ops"}},
		{"a stack that is named goes before the variable", "list --stack other", "TURNSTILE_CONTEXT=prod", backend.Settings{Stack: "other"}},
		{"so does a console", "list --console http://h/", "TURNSTILE_CONTEXT=prod", backend.Settings{Console: "http://h/"}},
		{"and --local", "list --local", "TURNSTILE_CONTEXT=prod", backend.Settings{Local: true}},
		{"variables go before the current one", "list", "TURNSTILE_STACK=other", backend.Settings{Stack: "other"}},
		{"also those of LocalStack", "list", "TURNSTILE_ORCHESTRATOR_QUEUE_URL=http://q", backend.Settings{}},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			b := withContexts(t)
			keys := filepath.Join(t.TempDir(), "keys")
			if err := os.WriteFile(keys, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			b.ok("context", "add", "till", "--update", "--console", "http://127.0.0.1:8876/", "--key-file", keys)
			for _, v := range strings.Fields(c.variables) {
				name, value, _ := strings.Cut(v, "=")
				b.env[name] = value
			}
			if c.want.KeyFile != "" {
				c.want.KeyFile = keys
			}
			b.ok(strings.Fields(c.args)...)
			got := b.settings
			if got.Stack != c.want.Stack || got.Region != c.want.Region || got.Profile != c.want.Profile || got.Console != c.want.Console || got.KeyFile != c.want.KeyFile || got.Local != c.want.Local {
				t.Errorf("the command works on %+v", got)
			}
		})
	}
}

// devRunsIn makes a folder look as if `turnstile dev` ran in it.
func devRunsIn(t *testing.T, folder string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(folder, dev.Data), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, dev.Data, "console.url"), []byte("http://127.0.0.1:1/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

const devRuns = "turnstile dev runs"

// waysToAPlace are all ways to say on what a command works, the strongest first. Each is a flag, a
// variable, or what there is on the machine.
var waysToAPlace = []struct{ name, place string }{
	{"--local", "the turnstile dev of this folder"},
	{"--console http://127.0.0.1:1/flag", "the console at http://127.0.0.1:1/flag"},
	{"--stack flagged", "stack flagged"},
	{"--context of-a-stack", "stack kept"},
	{"--context of-a-console", "the console at http://127.0.0.1:1/kept"},
	{"TURNSTILE_CONTEXT=of-a-stack", "stack kept"},
	{"TURNSTILE_CONTEXT=of-a-console", "the console at http://127.0.0.1:1/kept"},
	{"TURNSTILE_CONSOLE_URL=http://127.0.0.1:1/variable", "the console at http://127.0.0.1:1/variable"},
	{"TURNSTILE_STACK=variable", "stack variable"},
	{"TURNSTILE_ORCHESTRATOR_QUEUE_URL=http://q", "the stack of http://q"},
	{devRuns, "the turnstile dev of this folder"},
	{"current of-a-stack", "stack kept"},
	{"current of-a-console", "the console at http://127.0.0.1:1/kept"},
}

// A flag goes before a variable, and two flags are refused, whichever they are.
func TestTargetFlagsAndVariablesHaveAPrecedence(t *testing.T) {
	empty := t.TempDir()
	project := t.TempDir()
	devRunsIn(t, project)
	set := func(b *bench, way string) (flags []string) {
		name, value, variable := strings.Cut(way, "=")
		switch {
		case strings.HasPrefix(way, "--"):
			return strings.Fields(way)
		case variable:
			b.env[name] = value
		case way != devRuns:
			b.ok("context", "use", strings.TrimPrefix(way, "current "))
		}
		return nil
	}
	kind := func(way string) string {
		name, _, _ := strings.Cut(way, "=")
		name, _, _ = strings.Cut(name, " ")
		return name
	}
	for i, strong := range waysToAPlace {
		for _, weak := range waysToAPlace[i:] {
			if strong != weak && kind(strong.name) == kind(weak.name) {
				continue // One way with two values.
			}
			t.Run(strong.name+" and "+weak.name, func(t *testing.T) {
				t.Chdir(map[bool]string{true: project, false: empty}[strong.name == devRuns || weak.name == devRuns])
				b := newBench(t)
				b.ok("context", "add", "of-a-stack", "--stack", "kept")
				b.ok("context", "add", "of-a-console", "--console", "http://127.0.0.1:1/kept")
				flags := set(b, strong.name)
				if weak != strong {
					flags = append(flags, set(b, weak.name)...)
				}
				args := append([]string{"list"}, flags...)
				if two := strings.HasPrefix(weak.name, "--") && weak != strong; two {
					b.fails(exitUsage, []string{kind(strong.name), kind(weak.name), "pass only one of them"}, args...)
					return
				}
				b.ok(args...)
				_, opensStack := backend.Open(b.settings).(backend.AWS)
				if got := b.settings.Where(); got != strong.place || opensStack != strings.Contains(strong.place, "stack ") {
					t.Errorf("%v works on %s (a stack: %t), want %s", args, got, opensStack, strong.place)
				}
				// A command that a message shows names no second place.
				if words := strings.Fields(b.settings.Words()); len(words) > 2 {
					t.Errorf("%v shows commands with %q", args, words)
				}
			})
		}
	}
}

func TestAnEmptyTargetFlagIsRefused(t *testing.T) {
	t.Parallel()
	b := withContexts(t)
	for _, flag := range []string{"--stack", "--console", "--context"} {
		b.fails(exitUsage, []string{flag + " is empty"}, "list", flag, "")
	}
	b.fails(exitUsage, []string{"apply to a stack", "http://h/"}, "list", "--console", "http://h/", "--region", "eu-central-1")
	b.fails(exitUsage, []string{"apply to a stack", "http://127.0.0.1:8876/"}, "list", "--context", "till", "--profile", "ops")
}

// A shell completes with what is at the place that the command line names.
func TestCompletionReadsTheTargetOfTheCommand(t *testing.T) {
	t.Parallel()
	b := withContexts(t)
	for _, line := range [][]string{
		{"describe", ""}, {"raise", "order-1", ""}, {"limit", "show", ""}, {"schedule", "show", ""}, {"start", ""}, {"list", "--name", ""}, {"redrive", "--cause", ""}, {"replay", ""},
	} {
		for flags, want := range map[string]string{"": "stack shop in eu-central-1", "--context till": "the console at http://127.0.0.1:8876/", "--stack other": "stack other"} {
			b.settings = nil
			b.offers(append(strings.Fields(flags), line...)...)
			if b.settings == nil || b.settings.Where() != want {
				t.Errorf("turnstile %s %q: words come from %+v, want %s", flags, line, b.settings, want)
			}
		}
	}
}

// Where `turnstile dev` runs in the folder, the current context does not reach in.
func TestTheCurrentContextGivesWayToTheDevOfTheFolder(t *testing.T) {
	b := withContexts(t)
	folder := t.TempDir()
	devRunsIn(t, folder)
	t.Chdir(folder)
	b.ok("list")
	if b.settings.Stack != "" || b.settings.Console != "" {
		t.Errorf("the command works on %+v", b.settings)
	}
	b.ok("list", "--context", "prod")
	if b.settings.Stack != "shop" {
		t.Errorf("the command works on %+v", b.settings)
	}
}

func TestContextsAreListedUsedAndRemoved(t *testing.T) {
	t.Parallel()
	b := withContexts(t)
	keys, err := filepath.Abs("keys")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := b.ok("context", "list"), "*\tprod\tstack shop\teu-central-1\tops\t\n\ttill\thttp://127.0.0.1:8876/\t\t\t"+keys+"\n"; got != want {
		t.Errorf("there are\n%q, want\n%q", got, want)
	}
	b.ok("context", "use", "till")
	if got := b.ok("context", "list", "--output", "json"); !strings.Contains(got, `"name": "till"`) || strings.Count(got, `"current": true`) != 1 || strings.Index(got, "current") < strings.Index(got, "till") {
		t.Errorf("in JSON it is\n%s", got)
	}
	b.ok("context", "use", "--none")
	b.ok("list")
	if b.settings.Stack != "" || b.settings.Console != "" {
		t.Errorf("no context is current, and the command works on %+v", b.settings)
	}
	b.ok("context", "remove", "till")
	b.ok("context", "remove", "prod")
	if r := b.run("context", "list"); r.out != "" || !strings.Contains(r.err, "context add") {
		t.Errorf("after all were removed: %+v", r)
	}
	if got := b.ok("context", "list", "--output", "json"); got != "[]\n" {
		t.Errorf("in JSON it is %q", got)
	}
}

func TestAnEmptyContextIsRefused(t *testing.T) {
	t.Parallel()
	b := withContexts(t)
	b.env["TURNSTILE_STACK"] = "shop" // A variable is not kept.
	for _, c := range []struct{ args, says string }{
		{"context add x", "either --stack or --console"},
		{"context add x --stack a --console http://h/", "either --stack or --console"},
		{"context add x --console h", "must be the URL of a console"},
		{"context add x --console http://h/ --region r", "can only be used with --stack"},
		{"context add x --local", "--local"},
		{"context add -x --stack a", "-x"},
		{"context add a/b --stack a", "cannot be named"},
		{"context add prod --stack a", "--update"},
		{"context add prof --stack a --update", "did you mean prod?"},
		{"context use", "NAME, or --none"},
		{"context use prod --none", "NAME, or --none"},
		{"context use tilt", "did you mean till?"},
		{"context remove nobody", `context "nobody" does not exist`},
		{"list --context prd", "did you mean prod?"},
		{"list --context prod --stack a", "pass only one of them"},
		{"list --context prod --local", "pass only one of them"},
	} {
		b.fails(exitUsage, []string{c.says}, strings.Fields(c.args)...)
	}
	b.env[contextVariable] = "gone"
	b.fails(exitUsage, []string{`context "gone" does not exist`}, "list")
	b.ok("version") // It works on no place.
	b.ok("context", "list")
}

func TestAShellOffersContexts(t *testing.T) {
	t.Parallel()
	b := withContexts(t)
	for _, args := range [][]string{{"context", "use", ""}, {"context", "remove", ""}, {"list", "--context", ""}} {
		if got := b.ok(append([]string{"__complete"}, args...)...); !strings.HasPrefix(got, "prod\ntill\n") {
			t.Errorf("behind %q it offers %q", args, got)
		}
	}
	if got := b.ok("__complete", "help", "fl"); !strings.HasPrefix(got, "flags\n") {
		t.Errorf("behind help it offers %q", got)
	}
}
