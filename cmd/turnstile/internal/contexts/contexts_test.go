package contexts_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/contexts"
)

func file(t *testing.T) contexts.File {
	return contexts.File(filepath.Join(t.TempDir(), "settings", "contexts.json"))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func all(t *testing.T, f contexts.File) []contexts.Context {
	t.Helper()
	out, err := f.All()
	must(t, err)
	return out
}

func TestContextsAreKept(t *testing.T) {
	t.Parallel()
	f := file(t)
	if got := all(t, f); len(got) != 0 {
		t.Errorf("without a file there are %v", got)
	}
	prod := contexts.Context{Name: "prod", Stack: "shop", Region: "eu-central-1", Profile: "ops", KeyFile: "/keys"}
	local := contexts.Context{Name: "local", Console: "http://127.0.0.1:8876/"}
	must(t, f.Put(prod))
	must(t, f.Put(local))
	must(t, f.Use("prod"))
	prod.Current = true
	if got := all(t, f); !slices.Equal(got, []contexts.Context{local, prod}) {
		t.Errorf("there are %v", got)
	}
	if info, err := os.Stat(string(f)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	// A context that is changed stays the current one.
	must(t, f.Put(contexts.Context{Name: "prod", Stack: "shop-2"}))
	if got := all(t, f)[1]; got != (contexts.Context{Name: "prod", Stack: "shop-2", Current: true}) {
		t.Errorf("it is %v", got)
	}
	must(t, f.Use(""))
	if slices.ContainsFunc(all(t, f), func(c contexts.Context) bool { return c.Current }) {
		t.Error("one is still current")
	}
	must(t, f.Put(contexts.Context{Name: "new", Stack: "new", Current: true}))
	must(t, f.Remove("new"))
	// The name can come back, and is not current then.
	must(t, f.Put(contexts.Context{Name: "new", Stack: "other"}))
	if got := all(t, f); len(got) != 3 || got[1].Current {
		t.Errorf("after the current one was removed, there are %v", got)
	}
	entries, err := os.ReadDir(filepath.Dir(string(f)))
	if err != nil || len(entries) != 1 {
		t.Errorf("something was left beside it: %v, %v", entries, err)
	}
}

func TestAMissingContextIsNotUsed(t *testing.T) {
	t.Parallel()
	f := file(t)
	if err := f.Use("prod"); !errors.Is(err, contexts.ErrUnknown) {
		t.Errorf("use: %v", err)
	}
	if err := f.Remove("prod"); !errors.Is(err, contexts.ErrUnknown) {
		t.Errorf("remove: %v", err)
	}
	if _, err := os.Stat(string(f)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was written: %v", err)
	}
}

// A file that cannot be read is not overwritten.
func TestADamagedFileStays(t *testing.T) {
	t.Parallel()
	f := contexts.File(filepath.Join(t.TempDir(), "contexts.json"))
	must(t, os.WriteFile(string(f), []byte(`{"contexts":`), 0o600))
	_, reading := f.All()
	for _, err := range []error{reading, f.Put(contexts.Context{Name: "a", Stack: "b"}), f.Remove("a")} {
		if err == nil || !strings.Contains(err.Error(), string(f)) {
			t.Errorf("the error is %v", err)
		}
	}
	if text, err := os.ReadFile(string(f)); err != nil || string(text) != `{"contexts":` {
		t.Errorf("the file is now %q, %v", text, err)
	}
}

func TestANameIsAWord(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]bool{"prod": true, "eu-1.shop_2": true, "": false, "-x": false, "a b": false, "ü": false, strings.Repeat("a", 65): false} {
		if contexts.IsName(name) != is {
			t.Errorf("IsName(%q) is %v", name, !is)
		}
	}
}
