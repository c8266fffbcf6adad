package lint_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/turnstile-go/turnstile/lint"
)

// The code in testdata is a separate module that is compiled against the real package turnstile, so
// a name that is renamed there fails here.
func TestFindings(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	packages := []string{"activities", "branches", "document", "helpers", "order", "orchestrations", "silenced"}
	patterns := make([]string, len(packages))
	for i, p := range packages {
		patterns[i] = "./" + p
	}
	results := analysistest.Run(findings{t}, dir, lint.Analyzer, patterns...)
	if len(results) != len(packages) {
		t.Errorf("%d packages were analysed, not %d", len(results), len(packages))
	}
}

// findings ignores facts without a comment, because every function has some.
type findings struct{ *testing.T }

func (f findings) Errorf(format string, args ...any) {
	f.Helper()
	if strings.Contains(format, "unexpected") && len(args) > 1 && args[1] == "fact" {
		return
	}
	f.T.Errorf(format, args...)
}
