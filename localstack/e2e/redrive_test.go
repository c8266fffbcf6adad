//go:build unix

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/smokeapp"
)

// TestO10 has many instances fail in a deployment that is broken, mends it, and redrives all
// with one command. Each completes, and no step that was taken is taken again. With
// TURNSTILE_REDRIVE_INSTANCES=1000 there are so many. The test changes the activity function
// that all tests of the deployed stack share, so it runs ahead of them: it is not parallel.
func TestO10ManyInstancesAreRedrivenAfterAFixedDeployment(t *testing.T) {
	many := 30
	if n, err := strconv.Atoi(os.Getenv("TURNSTILE_REDRIVE_INSTANCES")); err == nil {
		many = n
	}
	s, ctx := deployed(t)
	const function = "TURNSTILE_ACTIVITY_FUNCTION"
	taken := filepath.Join(t.TempDir(), "steps")
	steps := func(broken string) string {
		return zip(t, build(ctx, t, "./testdata/steps", "-X main.file="+taken+" -X main.broken="+broken))
	}
	sample, broken, mended := zip(t, deployedFunction(t, "ActivityFunction")), steps("down"), steps("")
	command := variable(t, "TURNSTILE_LOCAL_COMMAND")

	deployCode(ctx, t, function, broken)
	t.Cleanup(func() { deployCode(context.WithoutCancel(ctx), t, function, sample) })
	batch := unique("batch")
	runs := make([]*client.Run[int], many)
	startedAt := time.Now()
	for i := range runs {
		var err error
		if runs[i], err = client.Start(ctx, s.client, smokeapp.Chain, 3, client.WithInstanceID(fmt.Sprintf("%s-%d", batch, i)),
			client.WithSearchAttributes(turnstile.SearchAttributes{"batch": turnstile.SearchString(batch)})); err != nil {
			t.Fatal(err)
		}
	}
	for _, run := range runs {
		if _, err := run.Wait(ctx); err == nil || ctx.Err() != nil {
			t.Fatalf("instance %s did not fail: %v", run.Instance, err)
		}
	}
	t.Logf("%d instances failed in %s", many, time.Since(startedAt))

	deployCode(ctx, t, function, mended)
	startedAt = time.Now()
	out, err := exec.CommandContext(ctx, command, "redrive", "--status", "failed", "--where", fmt.Sprintf("batch = %q", batch),
		"--reason", "the steps work again", "--yes", strconv.Itoa(many), "--rate", "20").CombinedOutput()
	if err != nil {
		t.Fatalf("turnstile redrive: %v\n%s", err, out)
	}
	for _, run := range runs {
		eventually(ctx, t, "instance "+run.Instance+" is not redriven", func() bool {
			d, err := run.Describe(ctx)
			return err == nil && d.ExecutionID == 2 && d.Status == client.StatusCompleted
		})
	}
	t.Logf("%d instances redriven in %s", many, time.Since(startedAt))

	lines, err := os.ReadFile(taken)
	if err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for line := range strings.Lines(string(lines)) {
		times[strings.TrimSpace(line)]++
	}
	// The second step failed once, and was taken again for that.
	for _, run := range runs {
		for step, want := range []int{1, 2, 1} {
			if got := times[fmt.Sprintf("%s %d", run.Instance, step)]; got != want {
				t.Errorf("instance %s: step %d was taken %d times, want %d", run.Instance, step, got, want)
			}
		}
	}
}
