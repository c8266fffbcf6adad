package exports

import (
	"strings"
	"testing"
)

func TestADocumentIsNamedAfterItsInstanceAndExecution(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ instance, want string }{
		{"order-17", "order-17/3.json"},
		{"Order-17", "%4Frder-17/3.json"},
		{"a/../b", "a%2F%2E%2E%2Fb/3.json"},
		{"ü", "%C3%BC/3.json"},
		{strings.Repeat("x", 200), strings.Repeat("x", 200) + "/3.json"},
	} {
		if got := Name(tt.instance, 3); got != tt.want {
			t.Errorf("%s is named %s, want %s", tt.instance, got, tt.want)
		}
	}
	long, other := Name(strings.Repeat("x", 201), 3), Name(strings.Repeat("x", 202), 3)
	if !strings.HasPrefix(long, "sha256-") || len(long) != len("sha256-")+64+len("/3.json") || long == other {
		t.Errorf("long ids are named %s and %s", long, other)
	}
}
