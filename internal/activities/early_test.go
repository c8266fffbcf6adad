package activities_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/activities"
)

func TestA18AClaimLeavesOutTheAttemptThatItReplaces(t *testing.T) {
	t.Parallel()
	at := func(n int) time.Time { return time.UnixMilli(1_700_000_000_000 + int64(n)*60_000) }
	bars := func(token string) (all string) {
		for n := range 70 {
			if activities.BarsDue(token, at(n).UnixMilli()) {
				all += " " + strconv.Itoa(n)
			}
		}
		return all
	}
	ada, bob := activities.EarlyID(at(1), "ada"), activities.EarlyID(at(1), "bob")
	if ada == bob || ada != activities.EarlyID(at(1), "ada") {
		t.Errorf("ids are %s and %s", ada, bob)
	}
	if due, early := activities.EarlyDue(ada); !early || !due.Equal(at(1)) {
		t.Errorf("%s is due at %s, %v", ada, due, early)
	}
	for _, other := range []string{"", "x", "due-1700000000000", "early-x-1", "0123abcd"} {
		if _, early := activities.EarlyDue(other); early {
			t.Errorf("%q is taken for the id of an early attempt", other)
		}
	}
	first := activities.EarlyClaim(ada, false, "")
	second := activities.EarlyClaim(activities.EarlyID(at(2), "ada"), false, first)
	left := activities.EarlyClaim(activities.EarlyID(at(3), "ada"), true, second)
	for token, want := range map[string]string{first: " 1", second: " 1 2", left: " 1 2", "": "", "0123abcd": ""} {
		if got := bars(token); got != want {
			t.Errorf("%q leaves out%s, want%s", token, got, want)
		}
	}
	if !activities.IsClaimOf(first, ada) || activities.IsClaimOf(first, bob) || activities.IsClaimOf(second, ada) || activities.IsClaimOf(left, activities.EarlyID(at(3), "ada")) {
		t.Error("a claim is taken for another message's")
	}
	token := ""
	for n := range 70 {
		token = activities.EarlyClaim(activities.EarlyID(at(n), "ada"), false, token)
	}
	if len(token) > 1000 || !activities.BarsDue(token, at(69).UnixMilli()) || activities.BarsDue(token, at(0).UnixMilli()) {
		t.Errorf("after 70 of them the token is %s", token)
	}
	if !activities.OfRetry(first) || !activities.OfRetry(left) || activities.OfRetry("0123abcd") {
		t.Error("whose claim it is is not known")
	}
}
