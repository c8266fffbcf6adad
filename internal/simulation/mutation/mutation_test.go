package mutation_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/internal/simulation/mutation"
	"github.com/turnstile-go/turnstile/internal/stage"

	// A change of the simulation, or of what it runs, runs these tests again.
	_ "github.com/turnstile-go/turnstile/internal/simulation"
)

var (
	only   = flag.String("only", "", "try the mutations whose names or files contain this")
	budget = flag.Duration("budget", 20*time.Second, "start no further mutation after this time")
	most   = flag.Int("most", 5000, "seeds within which a mutation has to be caught")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sources(t *testing.T) string {
	t.Helper()
	root, err := mutation.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestEachAnchorIsOnceInItsFile(t *testing.T) {
	t.Parallel()
	root, names := sources(t), map[string]bool{}
	all := mutation.All()
	if len(all) < 25 {
		t.Errorf("%d mutations, 25 are the least", len(all))
	}
	for i := range all {
		m := &all[i]
		if _, err := m.Apply(root); err != nil {
			t.Error(err)
		}
		if names[m.Name] || m.Name == "" || !strings.HasSuffix(m.Bug, ".") {
			t.Errorf("mutation %q: its name has to be its own, and its bug a sentence: %q", m.Name, m.Bug)
		}
		names[m.Name] = true
		for _, test := range []string{m.Test, m.Otherwise} {
			if dir, name, is := strings.Cut(test, " "); test != "" && (!is || !declares(t, filepath.Join(root, filepath.FromSlash(dir)), name)) {
				t.Errorf("mutation %q: no test %q", m.Name, test)
			}
		}
		if m.Otherwise != "" && !m.Rare {
			t.Errorf("mutation %q: no seed is known to catch it, and it is not rare", m.Name)
		}
	}
}

// declares reports whether a test of that name is in a directory.
func declares(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func "+name+"(t *testing.T)") {
			return true
		}
	}
	return false
}

// A bug that the simulation does not run is caught by the test that it names, and by no test
// that fails without it, or that does not run at all.
func TestAMutationIsCaughtByTheTestThatItNames(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example\n\ngo 1.26\n",
		"a/a.go":      "package a\n\nfunc two() int { return 2 }\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif two() != 2 {\n\t\tt.Error(\"it is not two\")\n\t}\n}\n\nfunc TestBroken(t *testing.T) { t.Error(\"always\") }\n\nfunc TestNothing(t *testing.T) {}\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trials := &mutation.Trials{Root: root, Dir: t.TempDir()}
	for test, want := range map[string]struct {
		caught bool
		err    string
	}{
		"a TestTwo":     {caught: true},
		"a TestNothing": {},
		"a TestBroken":  {err: "does not pass without it"},
		"a TestAbsent":  {err: "has not run"},
		"b TestTwo":     {err: "in another way than by failing"},
	} {
		m := mutation.Mutation{Name: "three", Test: test, File: "a/a.go", Edits: []mutation.Edit{{Anchor: "return 2", Replacement: "return 3"}}}
		r, err := trials.Try(t.Context(), &m)
		switch {
		case r.Caught != want.caught, (err == nil) != (want.err == ""), err != nil && !strings.Contains(err.Error(), want.err):
			t.Errorf("%s: %+v, %v", test, r, err)
		case want.caught && (r.Rule != "TestTwo" || !strings.Contains(r.Text, "it is not two")):
			t.Errorf("%s is caught by %s: %s", test, r.Rule, r.Text)
		}
	}
}

// Each commit draws other mutations. How many are tried depends on the machine; each that is
// tried has to be caught, however long it takes.
func TestMutationsAreCaught(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	startedAt, root, all := time.Now(), sources(t), mutation.All()
	turn, why := mutation.Turn(t.Context(), root, startedAt)
	chosen := mutation.Order(all, turn)
	if *only != "" {
		chosen, why, *budget = mutation.Named(all, *only), "as asked", time.Duration(math.MaxInt64)
	}
	trials := &mutation.Trials{Root: root, Dir: t.TempDir(), From: 1, Most: *most}
	var mu sync.Mutex
	var tried []mutation.Trial
	var next atomic.Int64
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(chosen)) && time.Since(startedAt) < *budget; i = next.Add(1) - 1 {
				r, err := trials.Try(t.Context(), chosen[i])
				mu.Lock()
				tried = append(tried, r)
				mu.Unlock()
				switch {
				case err != nil:
					t.Error(err)
				case !r.Caught && r.Mutation.Test != "":
					t.Errorf("%q does not fail %s: %s", r.Mutation.Name, r.Mutation.Test, r.Mutation.Bug)
				case !r.Caught:
					t.Errorf("%q is not caught by %d seeds: %s", r.Mutation.Name, r.Seeds, r.Mutation.Bug)
				default:
					t.Logf("%q is caught by %s after %d seeds (built in %s, run for %s)", r.Mutation.Name, r.Rule, r.Seeds,
						r.Build.Round(time.Millisecond), r.Run.Round(time.Millisecond))
				}
			}
		})
	}
	both.Wait()
	t.Logf("%d of %d mutations (%s) in %s", len(tried), len(all), why, time.Since(startedAt).Round(time.Second))
	if err := trials.Unmutated(t.Context(), tried); err != nil {
		t.Error(err)
	}
}

func TestAMissingAnchorIsAnError(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("package a\n\nvar x, y = 1, 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ anchor, replacement, want string }{
		"gone":      {"var z", "var q", "stands 0 times in a.go"},
		"ambiguous": {"1", "2", "stands 2 times in a.go"},
		"the same":  {"var x", "var x", "by itself"},
		"no Go":     {"var x", "var", "is not Go"},
		"good":      {"var x", "var z", ""},
	} {
		m := mutation.Mutation{Name: name, File: "a.go", Edits: []mutation.Edit{{Anchor: c.anchor, Replacement: c.replacement}}}
		source, err := m.Apply(root)
		switch {
		case c.want == "" && (err != nil || !strings.Contains(string(source), c.replacement)):
			t.Errorf("%s: %v\n%s", name, err, source)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEveryMutationHasItsTurn(t *testing.T) {
	t.Parallel()
	all := mutation.All()
	often := len(mutation.Order(all, 0))
	first := map[string]bool{}
	for turn := range often {
		drawn := mutation.Order(all, 1000+turn)
		first[drawn[0].Name] = true
		names := map[string]bool{}
		for _, m := range drawn {
			names[m.Name] = true
			if m.Rare {
				t.Errorf("%q is rare, and has a turn", m.Name)
			}
		}
		if len(drawn) != often || len(names) != often {
			t.Fatalf("turn %d draws %d mutations, %d of them different, want all %d", turn, len(drawn), len(names), often)
		}
	}
	if len(first) != often {
		t.Errorf("%d of %d mutations were the first of a turn", len(first), often)
	}
	if day, why := mutation.Turn(t.Context(), t.TempDir(), time.Unix(3*24*60*60+1, 0)); day != 3 || why != "day 3" {
		t.Errorf("without a repository: %d, %s", day, why)
	}
}
