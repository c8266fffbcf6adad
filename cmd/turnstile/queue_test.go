package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/scaffold"
	"github.com/turnstile-go/turnstile/internal/stage"
)

func TestQueueAdd(t *testing.T) {
	newest, err := project.ReadFile("project/" + scaffold.TemplateFile)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	t.Chdir(t.TempDir())
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
			err = os.WriteFile(name, []byte(text), 0o644)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	b.fails(exitUsage, []string{"no template.yaml in this folder"}, "queue", "add", "gpu")
	// What its author has changed of the activity function goes into the new one.
	own := strings.Replace(string(newest), "      CodeUri: lambdas/activity\n", "      CodeUri: lambdas/activity\n      EphemeralStorage: {Size: 2048}\n", 1)
	write(scaffold.TemplateFile, own)
	write(scaffold.BuildFile, "build-ActivityFunction:\n\t$(build) ./lambdas/activity\n")
	b.fails(exitUsage, []string{`"GPU" is not lower-case letters`}, "queue", "add", "GPU")
	b.fails(exitUsage, []string{`"default" is the default queue`}, "queue", "add", "default")
	b.fails(exitFailed, []string{"already has OrchestratorQueue"}, "queue", "add", "orchestrator")
	if out := b.ok("queue", "add", "gpu", "--dry-run"); !strings.Contains(out, "\n+  GpuQueue:") || read(scaffold.TemplateFile) != own {
		t.Errorf("a dry run shows\n%s", out)
	}
	b.ok("queue", "add", "gpu", "--yes")
	b.ok("queue", "add", "mail-2", "--yes")
	with := read(scaffold.TemplateFile)
	if out := b.ok("queue", "add", "gpu"); !strings.Contains(out, "already has the queue gpu") || read(scaffold.TemplateFile) != with {
		t.Errorf("a second time it says %q", out)
	}
	if text := read(scaffold.BuildFile); strings.Count(text, scaffold.BuildRule) != 1 {
		t.Errorf("the build file is\n%s", text)
	}
	for text, want := range map[string]int{
		`TURNSTILE_ACTIVITY_QUEUES: !Sub "default=${ActivityQueue.QueueName} gpu=${GpuQueue.QueueName} mail-2=${Mail2Queue.QueueName}"`: 4, // four functions
		`Value: !Sub "gpu=${GpuQueue} mail-2=${Mail2Queue}"`:                                                                            1,
		`Value: !Sub "gpu=${GpuFunction} mail-2=${Mail2Function}"`:                                                                      1,
		"EphemeralStorage: {Size: 2048}":                                                                                                3,
		"TURNSTILE_ACTIVITY_QUEUE_URL: !Ref GpuQueue":                                                                                   1,
		"MaximumConcurrency: !Ref Mail2Concurrency":                                                                                     1,
		"deadLetterTargetArn: !GetAtt ActivityDeadQueue.Arn":                                                                            3,
	} {
		if n := strings.Count(with, text); n != want {
			t.Errorf("%q stands in it %d times, want %d", text, n, want)
		}
	}
	// Wherever a list names something of the default queue, it names that of each other.
	for _, of := range []string{"Queue.Arn", "Function.Arn", "LogGroup.Arn"} {
		ofDefault := strings.Count(with, "- !GetAtt Activity"+of+"\n")
		for _, prefix := range []string{"Gpu", "Mail2"} {
			if n := strings.Count(with, "- !GetAtt "+prefix+of+"\n"); n != ofDefault || n == 0 {
				t.Errorf("%s%s is in %d lists, that of the default queue in %d", prefix, of, n, ofDefault)
			}
		}
	}
	// IAM takes 6,144 characters of a managed policy: each queue costs two names there.
	_, operate, _ := strings.Cut(with, "\n  OperatePolicy:\n")
	operate, _, _ = strings.Cut(operate, "\n  DoctorPolicy:\n")
	if n := strings.Count(operate, "- !GetAtt Gpu"); n != 2 {
		t.Errorf("OperatePolicy names the queue gpu and its function %d times, want once each", n)
	}
	// What is referred to is there.
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^  (\w+):$`).FindAllStringSubmatch(with, -1) {
		if names[m[1]] && m[1] != "OrchestratorFunction" && !strings.Contains(with[strings.Index(with, "\nOutputs:"):], "\n  "+m[1]+":\n") {
			t.Errorf("%s is there twice", m[1])
		}
		names[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`!(?:Ref|GetAtt) (\w+)|\$\{(\w+)[.}]`).FindAllStringSubmatch(with, -1) {
		if name := m[1] + m[2]; strings.HasPrefix(name, "Gpu") && !names[name] {
			t.Errorf("%s is not there", name)
		}
	}
	t.Run("cfn-lint accepts it", func(t *testing.T) {
		stage.Builds(t)
		lint, err := exec.LookPath("cfn-lint")
		if err != nil {
			t.Skip("NOT RUN: cfn-lint is not here")
		}
		ctx, cancel := context.WithTimeout(t.Context(), hang) // It takes three seconds, and has hung once.
		defer cancel()
		out, err := exec.CommandContext(ctx, lint, scaffold.TemplateFile).CombinedOutput()
		switch {
		case ctx.Err() != nil:
			t.Skip("NOT RUN: cfn-lint gave no answer")
		case err != nil:
			t.Errorf("cfn-lint: %v\n%s", err, out)
		}
	})
}

// AWS would refuse the deployment, halfway through it.
func TestQueueAddRefusesAQueueThatAWSHasNoRoomFor(t *testing.T) {
	newest, err := project.ReadFile("project/" + scaffold.TemplateFile)
	if err != nil {
		t.Fatal(err)
	}
	// least is the number in docs/guide/queues.md.
	for stack, least := range map[string]int{"": 10, "shop": 15, "a-stack-whose-name-is-as-long-as-those-of-some-companies-are": 7} {
		t.Run("stack "+stack, func(t *testing.T) {
			b := newBench(t)
			t.Chdir(t.TempDir())
			text, want := string(newest), 0
			for {
				next, err := scaffold.AddQueue(text, fmt.Sprintf("queue-%d", want+1))
				if err != nil {
					t.Fatal(err)
				}
				if scaffold.Fits(next, cmp.Or(len(stack), usualStack)) != nil {
					break
				}
				text, want = next, want+1
			}
			if want < least {
				t.Errorf("there is room for %d queues, and the page says %d", want, least)
			}
			if err := os.WriteFile(scaffold.TemplateFile, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"queue", "add", "queue-0", "--yes"}
			if stack != "" {
				args = append([]string{"--stack", stack}, args...)
			}
			b.fails(exitFailed, []string{`with queue "queue-0", AWS would refuse`, "AWS allows", "turnstile.FairnessKey"}, args...)
			if got, err := os.ReadFile(scaffold.TemplateFile); err != nil || string(got) != text {
				t.Errorf("it has changed the template, %v", err)
			}
			// One less leaves room.
			fewer, err := scaffold.RemoveQueue(text, fmt.Sprintf("queue-%d", want))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(scaffold.TemplateFile, []byte(fewer), 0o644); err != nil {
				t.Fatal(err)
			}
			args[len(args)-2] = fmt.Sprintf("queue-%d", want)
			if out := b.ok(args...); !strings.Contains(out, "Queue") {
				t.Errorf("it says %q", out)
			}
		})
	}
}

// In a template of before, functions of named queues did not know the default queue.
func TestQueueAddGivesTheDefaultQueueToATemplateThatHasTheQueue(t *testing.T) {
	t.Parallel()
	newest, err := project.ReadFile("project/" + scaffold.TemplateFile)
	if err != nil {
		t.Fatal(err)
	}
	with, err := scaffold.AddQueue(string(newest), "gpu")
	if err != nil {
		t.Fatal(err)
	}
	const entry = "default=${ActivityQueue.QueueName} "
	before := strings.ReplaceAll(with, entry, "")
	if n := strings.Count(with, entry); n != 3 { // orchestrator, activity function, its own
		t.Errorf("the default queue is named %d times", n)
	}
	for range 2 {
		if before, err = scaffold.AddQueue(before, "gpu"); err != nil || before != with {
			t.Errorf("once more, %v:\n%s", err, before)
		}
	}
}

// A template of before queues had names gets the variable too.
func TestQueueAddToATemplateOfBefore(t *testing.T) {
	t.Parallel()
	newest, err := project.ReadFile("project/" + scaffold.TemplateFile)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^ +TURNSTILE_ACTIVITY_QUEUES:.*\n`)
	with, err := scaffold.AddQueue(line.ReplaceAllString(string(newest), ""), "gpu")
	if err != nil {
		t.Fatal(err)
	}
	if want, err := scaffold.AddQueue(string(newest), "gpu"); err != nil || with != want {
		t.Errorf("it differs from that of today, %v", err)
	}
	if _, err := scaffold.AddQueue("Resources:\n", "gpu"); err == nil || !strings.Contains(err.Error(), "no ActivityConcurrency") {
		t.Errorf("a template of something else: %v", err)
	}
}
