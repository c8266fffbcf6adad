package store_test

import (
	"testing"

	"github.com/turnstile-go/turnstile/store"
)

func TestMarksAreAddedOnceAndTheOldestGo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ have, marks, want string }{
		{"", "", ""},
		{"", "-a", "-a"},
		{"-a", "", "-a"},
		{"-a", "-a", "-a"},
		{"-ab", "-a-b", "-ab-a-b"},
		{"-a", "-b-a-c", "-a-b-c"},
		{"-1-2-3-4-5-6-7-8-9-10-11-12-13-14-15", "-16", "-2-3-4-5-6-7-8-9-10-11-12-13-14-15-16"},
		{"-1-2-3-4-5-6-7-8-9-10-11-12-13-14", "-15-16-17", "-3-4-5-6-7-8-9-10-11-12-13-14-15-16-17"},
		{"-1-m1-m2-m3-m4-m5-m6-m7-m8-m9-2", "-m10-m11-3", "-1-m2-m3-m4-m5-m6-m7-m8-m9-2-m10-m11-3"},
		{"-1-2-3-4-5-6-7-8-9-10-11-12-13-14-15-m1", "-16-m2", "-2-3-4-5-6-7-8-9-10-11-12-13-14-15-m1-16-m2"},
	} {
		if got := store.AddMarks(c.have, c.marks); got != c.want {
			t.Errorf("%q and %q make %q, not %q", c.have, c.marks, got, c.want)
		}
	}
}
