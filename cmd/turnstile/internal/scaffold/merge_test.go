package scaffold_test

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/scaffold"
)

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT RUN: git is not in the PATH")
	}
}

func TestTwoChangesOfAFileAreMerged(t *testing.T) {
	t.Parallel()
	needGit(t)
	const base = "one\n2\n3\n4\nfive\n6\n7\n8\nnine\n"
	change := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(base) }
	for _, c := range []struct {
		about       string
		own, newest string
		want        string
		conflicts   int
	}{
		{"nobody changed it", base, base, base, 0},
		{"its author did", change("one", "ONE"), base, change("one", "ONE"), 0},
		{"Turnstile did", base, change("nine", "NINE"), change("nine", "NINE"), 0},
		{"both did, in two places", change("one", "ONE"), change("nine", "NINE"), change("one", "ONE", "nine", "NINE"), 0},
		{"both did the same", change("one", "ONE"), change("one", "ONE"), change("one", "ONE"), 0},
		{"both did, in one place", change("five", "mine"), change("five", "theirs"),
			change("five", "<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> Turnstile's"), 1},
		{"both did, in two places each", change("one", "mine", "nine", "mine"), change("one", "theirs", "nine", "theirs"),
			change("one", "<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> Turnstile's", "nine", "<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> Turnstile's"), 2},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Parallel()
			merged, conflicts, err := scaffold.Merge(t.Context(), t.TempDir(), []byte(c.own), []byte(base), []byte(c.newest))
			if err != nil || conflicts != c.conflicts || string(merged) != c.want {
				t.Errorf("%d conflicts, %v:\n%s\nwant %d:\n%s", conflicts, err, merged, c.conflicts, c.want)
			}
		})
	}
}

func TestAMergeThatGitRefusesIsAnError(t *testing.T) {
	t.Parallel()
	needGit(t)
	// git merges no binary files.
	if _, _, err := scaffold.Merge(t.Context(), t.TempDir(), []byte("a\x00b"), []byte("a"), []byte("c")); err == nil || !strings.Contains(err.Error(), "git merge-file") || !strings.Contains(err.Error(), "binary") {
		t.Errorf("binary files: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := scaffold.Merge(ended, t.TempDir(), nil, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	if _, _, err := scaffold.Merge(t.Context(), t.TempDir()+"/gone", nil, nil, nil); err == nil {
		t.Error("a folder that is not there is no error")
	}
}

func TestGitIsNamedWhereItIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, _, err := scaffold.Merge(t.Context(), t.TempDir(), nil, nil, nil); err == nil || !strings.Contains(err.Error(), "git is not in the PATH") {
		t.Errorf("it says %v", err)
	}
}

func TestAChangeIsShownAsGitShowsIt(t *testing.T) {
	t.Parallel()
	needGit(t)
	for _, c := range []struct{ about, own, merged, want string }{
		{"nothing changes", "one\n", "one\n", ""},
		{"a line changes", "one\ntwo\n", "one\n2\n", "--- a/template.yaml\n+++ b/template.yaml\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"},
	} {
		var out strings.Builder
		if err := scaffold.ShowChange(t.Context(), &out, t.TempDir(), "template.yaml", []byte(c.own), []byte(c.merged)); err != nil || out.String() != c.want {
			t.Errorf("%s: %v, shown is\n%s\nwant\n%s", c.about, err, out.String(), c.want)
		}
	}
}
