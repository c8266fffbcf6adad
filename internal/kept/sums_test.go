package kept_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/kept"
)

func TestWritingToWhatIsKeptIsRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := kept.WriteNew(filepath.Join(folder, "a"), []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := kept.WriteNew(filepath.Join(folder, "a"), []byte("second")); err == nil || !strings.Contains(err.Error(), "must never change") {
		t.Errorf("writing a file twice gave %v", err)
	}
	if added, err := kept.AddSums(folder); added != 1 || err != nil {
		t.Errorf("%d sums were added, %v", added, err)
	}
	if err := kept.CheckSums(folder); err != nil {
		t.Error(err)
	}
	write("b", "new")
	if err := kept.CheckSums(folder); err == nil || !strings.Contains(err.Error(), "b is not listed") {
		t.Errorf("a file without a sum gave %v", err)
	}
	write("a", "changed")
	if err := kept.CheckSums(folder); err == nil || !strings.Contains(err.Error(), "a has changed") {
		t.Errorf("a changed file gave %v", err)
	}
	if _, err := kept.AddSums(folder); err == nil || !strings.Contains(err.Error(), "a has changed") {
		t.Errorf("adding sums beside a changed file gave %v", err)
	}
	if err := os.Remove(filepath.Join(folder, "a")); err != nil {
		t.Fatal(err)
	}
	if err := kept.CheckSums(folder); err == nil || !strings.Contains(err.Error(), "a is missing") {
		t.Errorf("a missing file gave %v", err)
	}
}
