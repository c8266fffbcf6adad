package wire_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// The reason of a refused redrive was once missing from the list: dead letters could not
// be selected by it, and no page said what to do.
func TestEveryReasonIsListed(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	constant, found := regexp.MustCompile(`(?m)^\tReason\w+ +Reason = "(\w+)"$`), 0
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range constant.FindAllSubmatch(text, -1) {
			found++
			if !slices.Contains(wire.Reasons(), wire.Reason(m[1])) {
				t.Errorf("Reasons does not list %s of %s", m[1], name)
			}
		}
	}
	if found != len(wire.Reasons()) {
		t.Errorf("found %d reasons, and there are %d", found, len(wire.Reasons()))
	}
}
