package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// oddIDs are ids that a shell, xargs or the reader of flags would take apart or for something else.
var oddIDs = []string{
	"order 17", "order", "17", " leading", "trailing ", "two  spaces", `it's`, `"quoted"`, `back\slash`, `new\nline`, "-", "--all", "-rf", "--yes", "$(reboot)", "a;b", "*", "~", "#no comment",
	"größe", "日本語", "zero\u200bwidth", "no\u00a0break", "🚂",
}

// What list --ids prints is what the other side of a pipe reads, whatever ids there are.
func TestIDsGoThroughAPipeAsTheyAre(t *testing.T) {
	t.Parallel()
	for verb, status := range map[string]store.Status{"terminate": store.StatusRunning, "wake": store.StatusRunning, "cancel": store.StatusRunning, "suspend": store.StatusRunning, "resume": store.StatusSuspended, "restart": store.StatusFailed, "purge": store.StatusCompleted} {
		b := newBench(t)
		for i, id := range oddIDs {
			b.put(store.Record{Instance: id, Name: "Fulfil", Status: status, StartID: "s", CreatedAt: epoch.Add(-time.Duration(i+1) * time.Second), UpdatedAt: epoch})
		}
		b.put(store.Record{Instance: "other", Name: "Other", Status: status, StartID: "s", CreatedAt: epoch, UpdatedAt: epoch})
		ids := b.ok("list", "--name", "Fulfil", "--ids", "--limit", "5", "--all")
		if got := strings.Split(strings.TrimSuffix(ids, "\n"), "\n"); !slices.Equal(got, oddIDs) {
			t.Fatalf("list --ids prints %q", got)
		}
		if verb == "purge" {
			ids = strings.ReplaceAll(ids, "\n", "\r\n") // As programs of Windows write lines.
		}
		r := b.runWith(t.Context(), ids, verb, "-")
		if r.status != exitOK {
			t.Errorf("%s: exit status %d: %s", verb, r.status, r.err)
		}
		want := slices.Clone(oddIDs)
		for i := range want {
			want[i] = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(want[i])
		}
		got := b.sentFor()
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s is sent for\n%q, want\n%q", verb, got, want)
		}
	}
}

func TestAPipeWithoutIDsDoesNothing(t *testing.T) {
	t.Parallel()
	b := many(t, 2)
	for _, c := range []struct {
		in, args string
		status   int
		says     string
	}{
		{"", "terminate -", exitOK, "nothing was done"},
		{"\n\n", "terminate -", exitOK, "nothing was done"},
		{b.ok("list"), "terminate -", exitFailed, "line 1 of standard input is not an instance id: it has the control character U+0009"},
		{"o-0\n" + strings.Repeat("x", 5000) + "\n", "terminate -", exitFailed, "line 2"},
		{"o-0\n", "terminate - o-1", exitUsage, "it cannot be combined"},
		{"o-0\n", "terminate - --name Fulfil", exitUsage, "not both"},
		{"o-0\n", "restart - --input -", exitUsage, "which has the instance ids"},
	} {
		r := b.runWith(t.Context(), c.in, strings.Fields(c.args)...)
		if r.status != c.status || !strings.Contains(r.err, c.says) {
			t.Errorf("turnstile %s of %q: exit status %d, want %d that says %q: %s", c.args, c.in, r.status, c.status, c.says, r.err)
		}
		if sent := b.sentFor(); len(sent) > 0 {
			t.Fatalf("turnstile %s of %q: sent for %q", c.args, c.in, sent)
		}
	}
}

func TestAnOperandWithADashIsNoFlag(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put(store.Record{Instance: "-17", Name: "Fulfil", Status: store.StatusRunning, StartID: "s", CreatedAt: epoch, UpdatedAt: epoch})
	b.fails(exitUsage, []string{"unknown flag --1", "starts with a dash after --"}, "describe", "-17")
	if out := b.ok("describe", "--", "-17"); !strings.Contains(out, "-17") {
		t.Errorf("it shows %s", out)
	}
}
