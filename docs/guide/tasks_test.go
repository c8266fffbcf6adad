package guide_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// Eight tasks that every author has: a test holds how many lines each takes.

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

// Most lines of each task, from the func to its closing brace.
func TestTheEightTasksStayShort(t *testing.T) {
	t.Parallel()
	most := map[string]int{"anActivityWithARetry": 3, "aFanOutWithALimit": 3, "anEventOrATimeout": 7, "aChild": 3,
		"aContinueAsNew": 6, "aSaga": 12, "aVersionChange": 6, "aTest": 8}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "tasks_test.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if d, is := d.(*ast.FuncDecl); is && most[d.Name.Name] > 0 {
			if n := set.Position(d.End()).Line - set.Position(d.Pos()).Line + 1; n > most[d.Name.Name] {
				t.Errorf("%s has %d lines, %d are the most", d.Name.Name, n, most[d.Name.Name])
			}
			delete(most, d.Name.Name)
		}
	}
	for name := range most {
		t.Errorf("there is no %s", strings.TrimSpace(name))
	}
}
