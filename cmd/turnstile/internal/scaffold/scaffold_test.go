package scaffold_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/scaffold"
)

func TestTheFilesOfAProjectGetTheirNames(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	got, err := scaffold.Files(fstest.MapFS{
		"project/template.yaml":            file("Description: {{name}}"),
		"project/Makefile":                 file("all:"),
		"project/gitignore.txt":            file("/build"),
		"project/github/workflows/ci.yaml": file("on: push"),
		"project/app/welcome.go.txt":       file(`import "{{module}}/app"`),
	}, "example.com/shop/till")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"template.yaml": "Description: till", "template.base.yaml": "Description: till", "Makefile": "all:", ".gitignore": "/build",
		".github/workflows/ci.yaml": "on: push", "app/welcome.go": `import "example.com/shop/till/app"`,
	}
	for name, text := range want {
		if string(got[name]) != text {
			t.Errorf("%s is %q, want %q", name, got[name], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d: %q", len(got), len(want), got)
	}
}

// folder has files, by name.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	at := t.TempDir()
	for name, text := range files {
		file := filepath.Join(at, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

func TestTheModuleOfAProjectIsReplacedByTheSourceThatIsNamed(t *testing.T) {
	t.Parallel()
	source := folder(t, map[string]string{"go.mod": "module github.com/turnstile-go/turnstile\n"})
	text, from, err := scaffold.GoMod("example.com/shop", source)
	if err != nil || from != "the source of Turnstile in "+source {
		t.Fatalf("%q, %v", from, err)
	}
	for _, part := range []string{
		"module example.com/shop\n\ngo 1.26\n",
		"require github.com/turnstile-go/turnstile v0.0.0\n", `replace github.com/turnstile-go/turnstile => "` + source + `"`,
		"require github.com/turnstile-go/turnstile/sqlite v0.0.0\n", `replace github.com/turnstile-go/turnstile/sqlite => "` + filepath.Join(source, "sqlite") + `"`,
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("go.mod is\n%s\nwithout %s", text, part)
		}
	}
	for about, other := range map[string]string{
		"an empty folder": folder(t, nil), "a module of another": folder(t, map[string]string{"go.mod": "module example.com/other\n"}),
		"a module of ours that is not the root": folder(t, map[string]string{"go.mod": "module github.com/turnstile-go/turnstile/sqlite\n"}),
	} {
		_, _, err := scaffold.GoMod("example.com/shop", other)
		if wrong, is := errors.AsType[*scaffold.NoSourceError](err); !is || wrong.Folder != other {
			t.Errorf("%s: %v", about, err)
		}
	}
}

func TestAWorkspaceIsFoundAboveAFolder(t *testing.T) {
	t.Parallel()
	at := folder(t, map[string]string{"go.work": "go 1.26\n", "a/b/go.mod": "module b\n"})
	for _, within := range []string{"a", "a/b", "a/new"} {
		if file, found := scaffold.WorkspaceOf(filepath.Join(at, within)); !found || file != filepath.Join(at, "go.work") {
			t.Errorf("above %s there is %q, %t", within, file, found)
		}
	}
	// The folder's own go.work is no workspace above it.
	if file, found := scaffold.WorkspaceOf(at); found && file == filepath.Join(at, "go.work") {
		t.Errorf("above the folder there is its own %s", file)
	}
}

// template has the parts of the default queue that a queue gets copies of.
const template = `Parameters:
  ActivityConcurrency:
    Default: 10
  ActivityBatchSize:
    Default: 10
  ActivityMemory:
    Default: 10
Resources:
  OrchestratorFunction:
    Environment:
      Variables:
        TURNSTILE_ACTIVITY_QUEUE_URL: !Ref ActivityQueue
        TURNSTILE_ACTIVITY_QUEUES: ""
    Policies:
      - Resource:
          - !GetAtt ActivityQueue.Arn

  ActivityLogGroup:
    Type: AWS::Logs::LogGroup

  ActivityFunction:
    MemorySize: !Ref ActivityMemory

  ActivityQueue:
    Type: AWS::SQS::Queue

  ActivityQueueAgeAlarm:
    AlarmDescription: activities do not keep up with their queue

Outputs:
  Table:
    Value: !Ref Table
`

func TestAQueueIsAddedAndRemoved(t *testing.T) {
	t.Parallel()
	one, err := scaffold.AddQueue(template, "slow-gpu")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"  SlowGpuConcurrency:\n", "  SlowGpuBatchSize:\n", "  SlowGpuMemory:\n", "  SlowGpuLogGroup:\n", "  SlowGpuQueue:\n", "  SlowGpuFunction:\n    MemorySize: !Ref SlowGpuMemory\n",
		"activities do not keep up with the queue slow-gpu", "          - !GetAtt ActivityQueue.Arn\n          - !GetAtt SlowGpuQueue.Arn\n",
		"TURNSTILE_ACTIVITY_QUEUES: !Sub \"default=${ActivityQueue.QueueName} slow-gpu=${SlowGpuQueue.QueueName}\"\n",
		"  ActivityQueues:\n", "    Value: !Sub \"slow-gpu=${SlowGpuQueue}\"\n", "    Value: !Sub \"slow-gpu=${SlowGpuFunction}\"\n",
	} {
		if !strings.Contains(one, part) {
			t.Errorf("the template is\n%s\nwithout %q", one, part)
		}
	}
	if again, err := scaffold.AddQueue(one, "slow-gpu"); err != nil || again != one {
		t.Errorf("added again it is another, %v", err)
	}
	two, err := scaffold.AddQueue(one, "mail")
	if err != nil || !strings.Contains(two, "\"default=${ActivityQueue.QueueName} slow-gpu=${SlowGpuQueue.QueueName} mail=${MailQueue.QueueName}\"") || !strings.Contains(two, "\"slow-gpu=${SlowGpuFunction} mail=${MailFunction}\"") {
		t.Errorf("with two queues it is\n%s\n%v", two, err)
	}
	if back, err := scaffold.RemoveQueue(two, "mail"); err != nil || back != one {
		t.Errorf("without the second it is\n%s\n%v", back, err)
	}
	if back, err := scaffold.RemoveQueue(one, "slow-gpu"); err != nil || back != template {
		t.Errorf("without any it is\n%s\nwant\n%s\n%v", back, template, err)
	}
}

func TestAQueueThatCannotBeAddedOrRemovedIsRefused(t *testing.T) {
	t.Parallel()
	one, err := scaffold.AddQueue(template, "gpu")
	if err != nil {
		t.Fatal(err)
	}
	without := func(text, part string) string {
		if !strings.Contains(text, part) {
			t.Fatalf("the template has no %q", part)
		}
		return strings.Replace(text, part, "", 1)
	}
	for _, c := range []struct {
		about, text, name string
		change            func(template, name string) (string, error)
		says              string
	}{
		{"another resource has the name", strings.Replace(template, "Outputs:", "  GpuQueue:\n    Type: AWS::SQS::Queue\nOutputs:", 1), "gpu", scaffold.AddQueue, "it already has GpuQueue, which is not the activity queue \"gpu\""},
		{"a part has the name", strings.Replace(template, "Outputs:", "  GpuFunction:\n    Type: x\nOutputs:", 1), "gpu", scaffold.AddQueue, "it already has GpuFunction"},
		{"a part to copy is gone", without(template, "  ActivityLogGroup:\n    Type: AWS::Logs::LogGroup\n"), "gpu", scaffold.AddQueue, "it has no ActivityLogGroup to copy GpuLogGroup from"},
		{"the functions do not know their queue", without(without(template, "        TURNSTILE_ACTIVITY_QUEUE_URL: !Ref ActivityQueue\n"), "        TURNSTILE_ACTIVITY_QUEUES: \"\"\n"), "gpu", scaffold.AddQueue, "none of its functions has the variable TURNSTILE_ACTIVITY_QUEUE_URL"},
		{"it is not there", one, "mail", scaffold.RemoveQueue, "template.yaml has no queue mail"},
		{"something refers to it", one + "  Mine:\n    Value: !Ref GpuQueue\n", "gpu", scaffold.RemoveQueue, "refers to GpuQueue"},
	} {
		if got, err := c.change(c.text, c.name); err == nil || got != "" || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.about, err, c.says)
		}
	}
}

func TestTheBuildFileGetsTheRuleOfQueuesOnce(t *testing.T) {
	t.Parallel()
	one := scaffold.WithBuildRule("build-ActivityFunction:\n\t$(build) ./lambdas/activity\n\n\n")
	if !strings.HasPrefix(one, "build-ActivityFunction:\n\t$(build) ./lambdas/activity\n\n# ") || !strings.HasSuffix(one, "\nbuild-%Function:\n\t$(build) ./lambdas/activity\n") {
		t.Errorf("it is %q", one)
	}
	if again := scaffold.WithBuildRule(one); again != one {
		t.Errorf("a second time it is %q", again)
	}
}

func TestAModuleHasAPathThatTheGoCommandTakes(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"shop", "example.com/shop", "a.b", "Shop_2", "gopher", "go/shop", "x/go", "vendors", "internal", "console", "a~b", "example.com/~ann/shop"} {
		if problem := scaffold.ModuleProblem(path); problem != "" {
			t.Errorf("%q: %s", path, problem)
		}
	}
	for _, path := range []string{"", "go", "toolchain", "std", "cmd", "vendor", "vendor/shop", "example.com/vendor", "größe", "a b", ".shop", "-shop", "shop.", "a./b", "a/", "a//b", "con", "NUL.x", "example.com/com1", "a~1"} {
		if scaffold.ModuleProblem(path) == "" {
			t.Errorf("%q is taken for the path of a module", path)
		}
	}
}
