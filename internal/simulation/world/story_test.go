package world

import (
	"runtime"
	"testing"
)

// Messages of the engine name a line of code. A story does not contain the directory of the
// module.
func TestAStoryDoesNotTellWhereTheModuleLies(t *testing.T) {
	t.Parallel()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("no caller")
	}
	if got := withoutRoot("the code at " + file + ":12 differs"); got != "the code at internal/simulation/world/story_test.go:12 differs" {
		t.Error(got)
	}
}

func TestASpotIsNamedByWhatStaysTheSameWhenSomethingElseIsLeftOut(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]string{
		"commits root0/1: 3 ActivityCompleted←2":                       "commits root0/",
		"commits root0/1/3/1: 1 OrchestrationStarted(P1)":              "commits root0///",
		"sends to fifo ActivityCompleted(root2/1/3+1.11/1 event 3)":    "sends to fifo ActivityCompleted(root2//+./",
		"sends to delay Wake(root0 id wake-1-1900000061000 number 1)":  "sends to delay Wake(root0",
		"lets activity-12 come back after 5m30s":                       "lets activity- come back after m30s",
		"removes schedule root0.1.8.f98e620521c2735c8d571cc689d447d6f": "removes schedule root0...",
	} {
		if got := spotText(what); got != want {
			t.Errorf("%s is %q, want %q", what, got, want)
		}
	}
}
