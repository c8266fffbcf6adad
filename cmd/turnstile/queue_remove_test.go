package main

import (
	"os"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/scaffold"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func added(t *testing.T, template string, names ...string) string {
	t.Helper()
	for _, name := range names {
		with, err := scaffold.AddQueue(template, name)
		if err != nil {
			t.Fatal(err)
		}
		template = with
	}
	return template
}

func newestTemplate(t *testing.T) string {
	t.Helper()
	newest, err := project.ReadFile("project/" + scaffold.TemplateFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(newest)
}

func TestAQueueThatIsRemovedLeavesNothing(t *testing.T) {
	t.Parallel()
	newest := newestTemplate(t)
	without, err := scaffold.RemoveQueue(added(t, newest, "gpu", "mail-2"), "gpu")
	if err != nil {
		t.Fatal(err)
	}
	if want := added(t, newest, "mail-2"); without != want {
		t.Errorf("what is left differs from a template with the other queue alone:\n%s", firstDifference(without, want))
	}
	if without, err = scaffold.RemoveQueue(without, "mail-2"); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(without, "Mail2") || strings.Contains(without, "default=") || !strings.Contains(without, `TURNSTILE_ACTIVITY_QUEUES: ""`) || strings.Contains(without, "  ActivityQueues:\n") {
		t.Errorf("the last queue leaves\n%s", firstDifference(without, newest))
	}
	if again := added(t, without, "mail-2"); again != added(t, newest, "mail-2") {
		t.Errorf("added again it differs:\n%s", firstDifference(again, added(t, newest, "mail-2")))
	}
}

func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return as[i] + "\n" + bs[i]
		}
	}
	return "one is longer"
}

func TestQueueRemove(t *testing.T) {
	b, s := paused(t)
	t.Chdir(t.TempDir())
	with := added(t, newestTemplate(t), "gpu")
	write := func(text string) {
		if err := os.WriteFile(scaffold.TemplateFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	has := func() bool {
		text, err := os.ReadFile(scaffold.TemplateFile)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), "Gpu")
	}
	b.fails(exitUsage, []string{"no template.yaml in this folder"}, "queue", "remove", "gpu")
	write(with)
	b.fails(exitUsage, []string{`"default" is the default queue`}, "queue", "remove", "default")
	b.fails(exitFailed, []string{"has no queue mail"}, "queue", "remove", "mail")
	s.named = map[string]api.Queue{"activity:gpu": {Visible: 3, InFlight: 1, Delayed: 2}}
	b.fails(exitFailed, []string{"3 waiting, 1 running and 2 delayed attempts", "never end"}, "queue", "remove", "gpu", "--yes")
	if !has() {
		t.Error("it is removed though it is not empty")
	}
	if out := b.ok("queue", "remove", "gpu", "--dry-run"); !strings.Contains(out, "\n-  GpuQueue:") || !has() {
		t.Errorf("a dry run shows\n%s", out)
	}
	s.named["activity:gpu"] = api.Queue{}
	if r := b.run("queue", "remove", "gpu", "--yes", "--stack", "shop"); r.status != exitOK || !strings.Contains(r.err, "queue gpu of stack shop is empty\n") {
		t.Errorf("%+v", r)
	}
	if has() {
		t.Error("it is not removed though it is empty")
	}
	// A stack that does not have it is perhaps the wrong one.
	write(with)
	s.named = map[string]api.Queue{}
	b.fails(exitFailed, []string{"stack test has no activity queue gpu", "--stack", "--undeployed"}, "queue", "remove", "gpu", "--yes", "--stack", "test")
	if !has() {
		t.Error("it is removed though the stack that was asked does not have it")
	}
	// One that is not asked.
	s.named["activity:gpu"] = api.Queue{Visible: 1}
	b.ok("queue", "remove", "gpu", "--yes", "--undeployed")
	if has() {
		t.Error("it is not removed with --undeployed")
	}
	write(with + "  Mine:\n    Value: !Ref GpuQueue\n")
	b.fails(exitFailed, []string{"refers to GpuQueue", "Value: !Ref GpuQueue"}, "queue", "remove", "gpu", "--undeployed", "--yes")
}
