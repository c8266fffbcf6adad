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

// Where `turnstile dev` runs in the folder, the current context does not reach in.
func TestTheCurrentContextGivesWayToTheDevOfTheFolder(t *testing.T) {
	b := withContexts(t)
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, dev.Data), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, dev.Data, "console.url"), []byte("http://127.0.0.1:1/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
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

func TestAContextThatSaysNothingIsNotTaken(t *testing.T) {
	t.Parallel()
	b := withContexts(t)
	b.env["TURNSTILE_STACK"] = "shop" // A variable is not kept.
	for _, c := range []struct{ args, says string }{
		{"context add x", "either --stack or --console"},
		{"context add x --stack a --console http://h/", "either --stack or --console"},
		{"context add x --console h", "is not the address of a console"},
		{"context add x --console http://h/ --region r", "belong to --stack"},
		{"context add x --local", "--local"},
		{"context add -x --stack a", "-x"},
		{"context add a/b --stack a", "cannot be named"},
		{"context add prod --stack a", "--update"},
		{"context add prof --stack a --update", "did you mean prod?"},
		{"context use", "NAME, or --none"},
		{"context use prod --none", "NAME, or --none"},
		{"context use tilt", "did you mean till?"},
		{"context remove nobody", `no context "nobody"`},
		{"list --context prd", "did you mean prod?"},
		{"list --context prod --stack a", "give one of them"},
		{"list --context prod --local", "give one of them"},
	} {
		b.fails(exitUsage, []string{c.says}, strings.Fields(c.args)...)
	}
	b.env[contextVariable] = "gone"
	b.fails(exitUsage, []string{`no context "gone"`}, "list")
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
