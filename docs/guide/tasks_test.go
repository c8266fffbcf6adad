package guide_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// Eight tasks that every author has. tools/bench/peers/tasks has them as they are written with the SDKs of others.

var (
	taskFetch = turnstile.NewActivity[string, int]("Fetch").With(
		turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 5, InitialInterval: time.Second}))
	taskCancel = turnstile.NewActivity[int, turnstile.None]("Cancel")
	taskGo     = turnstile.NewEvent[string]("go")

	taskRetry   = turnstile.NewOrchestration[string, int]("Retry")
	taskFan     = turnstile.NewOrchestration[[]string, []int]("Fan")
	taskTimeout = turnstile.NewOrchestration[string, string]("Timeout")
	taskParent  = turnstile.NewOrchestration[string, int]("Parent")
	taskLoop    = turnstile.NewOrchestration[int, int]("Loop")
	taskSaga    = turnstile.NewOrchestration[[]string, []int]("Saga")
	taskPatched = turnstile.NewOrchestration[string, int]("Patched")
)

func anActivityWithARetry(ctx turnstile.Context, url string) (int, error) {
	return taskFetch.Call(ctx, url)
}

func aFanOutWithALimit(ctx turnstile.Context, urls []string) ([]int, error) {
	return turnstile.Map(ctx, urls, 10, taskFetch.Call)
}

func anEventOrATimeout(ctx turnstile.Context, _ string) (string, error) {
	answer, err := taskGo.WaitTimeout(ctx, 72*time.Hour)
	if errors.Is(err, turnstile.ErrTimeout) {
		return "expired", nil
	}
	return answer, err
}

func aChild(ctx turnstile.Context, url string) (int, error) {
	return taskRetry.Call(ctx, url)
}

func aContinueAsNew(ctx turnstile.Context, n int) (int, error) {
	if err := turnstile.Sleep(ctx, time.Hour); err != nil || n == 3 {
		return n, err
	}
	return 0, taskLoop.ContinueAsNew(ctx, n+1)
}

func aSaga(ctx turnstile.Context, urls []string) (all []int, err error) {
	var saga turnstile.Saga
	for _, url := range urls {
		booking, err := taskFetch.Call(ctx, url)
		if err != nil {
			return nil, saga.Compensate(ctx, err)
		}
		turnstile.Undo(&saga, url, taskCancel.Call, booking)
		all = append(all, booking)
	}
	return all, nil
}

func aVersionChange(ctx turnstile.Context, url string) (int, error) {
	if turnstile.Patched(ctx, "secure") {
		url = "https://" + url
	}
	return taskFetch.Call(ctx, url)
}

// tasks are their functions; fetch fails twice at first, and always at "bad".
func tasks(cancelled *[]int) *turnstile.App {
	tries := map[string]int{}
	return turnstile.NewApp(
		taskFetch.Implement(func(_ context.Context, url string) (int, error) {
			if tries[url]++; tries[url] < 3 || url == "bad" {
				return 0, errors.New("busy")
			}
			return len(url), nil
		}),
		taskCancel.Implement(func(_ context.Context, booking int) (turnstile.None, error) {
			*cancelled = append(*cancelled, booking)
			return turnstile.None{}, nil
		}),
		taskRetry.Implement(anActivityWithARetry), taskFan.Implement(aFanOutWithALimit), taskTimeout.Implement(anEventOrATimeout),
		taskParent.Implement(aChild), taskLoop.Implement(aContinueAsNew), taskSaga.Implement(aSaga), taskPatched.Implement(aVersionChange))
}

func aTest(t *testing.T) {
	var cancelled []int
	env := turnstiletest.New(t, tasks(&cancelled))
	run := turnstiletest.Start(env, taskTimeout, "")
	if answer, err := run.Wait(); answer != "expired" || err != nil {
		t.Errorf("%q, %v", answer, err)
	}
}

func TestTheEightTasks(t *testing.T) {
	t.Parallel()
	aTest(t)
	var cancelled []int
	env := turnstiletest.New(t, tasks(&cancelled))
	for _, c := range []struct {
		task turnstile.Orchestration[string, int]
		want int
	}{{taskRetry, 3}, {taskParent, 3}, {taskPatched, 11}} {
		if n, err := turnstiletest.Start(env, c.task, "abc").Wait(); n != c.want || err != nil {
			t.Errorf("%s: %d, %v", c.task.Name(), n, err)
		}
	}
	if all, err := turnstiletest.Start(env, taskFan, []string{"a", "bc"}).Wait(); !slices.Equal(all, []int{1, 2}) || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	if n, err := turnstiletest.Start(env, taskLoop, 1).Wait(); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := turnstiletest.Start(env, taskSaga, []string{"a", "bc", "bad"}).Wait(); err == nil || !slices.Equal(cancelled, []int{2, 1}) {
		t.Errorf("cancelled %v, %v", cancelled, err)
	}
}

// peers are the SDKs of others, each with the folder of its tasks, which have the names of ours.
var peers = []struct{ name, folder string }{{"Temporal", "temporal"}, {"durable functions", "aws"}, {"DBOS", "dbos"}}

// tasksOfPeers is a module of its own, outside of go.work.
const tasksOfPeers = "../../tools/bench/peers/tasks/"

var titles = []struct{ task, title string }{
	{"anActivityWithARetry", "an activity with retries"},
	{"aFanOutWithALimit", "a fan-out with a limit"},
	{"anEventOrATimeout", "an event or a timeout"},
	{"aChild", "a child"},
	{"aContinueAsNew", "continue-as-new"},
	{"aSaga", "a saga"},
	{"aVersionChange", "a change of version"},
	{"aTest", "a test"},
}

// size is how many lines a task has that are neither empty nor a comment: those
// of its function, and those of the declarations that the function uses.
type size struct{ function, declared int }

// No task is longer than that of anybody else, but for what it declares. The
// page of figures has them.
func TestTheEightTasksAreAsShortAsThoseOfOthers(t *testing.T) {
	t.Parallel()
	ours := sizes(t, "tasks_test.go")
	others := make([]map[string]size, len(peers))
	for i, p := range peers {
		others[i] = sizes(t, tasksOfPeers+p.folder+"/tasks.go", tasksOfPeers+p.folder+"/tasks_test.go")
	}
	for _, each := range titles {
		mine, has := ours[each.task]
		if !has {
			t.Errorf("there is no %s", each.task)
		}
		compared := 0
		for i, p := range peers {
			theirs, has := others[i][each.task]
			if !has {
				continue
			}
			compared++
			if mine.function > theirs.function {
				t.Errorf("%s has %d lines and declares %d more, that of %s %d and %d", each.task, mine.function, mine.declared, p.name, theirs.function, theirs.declared)
			}
		}
		if compared == 0 {
			t.Errorf("nobody else has %s", each.task)
		}
	}
	page, err := os.ReadFile("../internal/guide-figures.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := table(ours, others); !strings.Contains(string(page), want) {
		t.Errorf("guide-figures.md does not have this table:\n%s", want)
	}
}

func table(ours map[string]size, others []map[string]size) string {
	var b strings.Builder
	b.WriteString("| lines | Turnstile |")
	for _, p := range peers {
		b.WriteString(" " + p.name + " |")
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", len(peers)) + "\n")
	for _, each := range titles {
		fmt.Fprintf(&b, "| %s | %s |", each.title, ours[each.task])
		for _, theirs := range others {
			fmt.Fprintf(&b, " %s |", theirs[each.task])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (s size) String() string {
	switch {
	case s.function == 0:
		return "none"
	case s.declared == 0:
		return strconv.Itoa(s.function)
	default:
		return fmt.Sprintf("%d + %d", s.function, s.declared)
	}
}

// sizes are those of the tasks in the files.
func sizes(t *testing.T, files ...string) map[string]size {
	declared, functions := map[string]int{}, map[string]*ast.FuncDecl{} // lines of each declaration with a value
	uses, lines := map[string][]string{}, map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution) // without comments
		if err != nil {
			t.Fatal(err)
		}
		code := codeLines(string(text))
		count := func(n ast.Node) (lines int) {
			for i := set.Position(n.Pos()).Line; i <= set.Position(n.End()).Line; i++ {
				if code[i] {
					lines++
				}
			}
			return lines
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, is := spec.(*ast.ValueSpec); is && len(v.Values) > 0 {
						declared[v.Names[0].Name] = count(v)
					}
				}
			case *ast.FuncDecl:
				functions[d.Name.Name], lines[d.Name.Name] = d, count(d)
				ast.Inspect(d, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.Ident:
						uses[d.Name.Name] = append(uses[d.Name.Name], n.Name)
					case *ast.CallExpr: // taskRetry.Implement(anActivityWithARetry) ties the declaration to the function
						if call, is := n.Fun.(*ast.SelectorExpr); is && call.Sel.Name == "Implement" && len(n.Args) == 1 {
							if code, is := n.Args[0].(*ast.Ident); is {
								uses[code.Name] = append(uses[code.Name], call.X.(*ast.Ident).Name)
							}
						}
					}
					return true
				})
			}
		}
	}
	all := map[string]size{}
	for _, each := range titles {
		if functions[each.task] == nil {
			continue
		}
		s := size{function: lines[each.task]}
		used := uses[each.task]
		slices.Sort(used)
		for _, name := range slices.Compact(used) {
			s.declared += declared[name]
		}
		all[each.task] = s
	}
	return all
}

// codeLines says which lines are neither empty nor a comment alone, from 1.
func codeLines(text string) map[int]bool {
	code := map[int]bool{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		code[i+1] = line != "" && !strings.HasPrefix(line, "//")
	}
	return code
}
