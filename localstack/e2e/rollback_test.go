//go:build unix

package e2e_test

import (
	"archive/zip"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/smokeapp"
)

// TestR18 deploys a build that works, one that does not, and the
// first again. What is stuck goes on within a minute of the first batch afterwards. The
// test changes the function that all tests of the deployed stack share, so it runs
// ahead of them: it is not parallel.
func TestR18ARollbackWithinFiveMinutesTakesOnWhatIsStuck(t *testing.T) {
	s, ctx := deployed(t)
	const function = "TURNSTILE_ORCHESTRATOR_FUNCTION"
	good, broken := zipped(ctx, t, "../../lambdas/orchestrator"), zipped(ctx, t, "./testdata/broken")
	start := func(what string) *client.Run[string] {
		run, err := client.Start(ctx, s.client, smokeapp.Echo, struct{}{}, client.WithInstanceID(unique(what)))
		if err != nil {
			t.Fatal(err)
		}
		return run
	}

	deployCode(ctx, t, function, good)
	before := start("before")
	awaitEvent(ctx, t, s.client, before.Instance, history.ExternalSubscribed)
	deployCode(ctx, t, function, broken)
	t.Cleanup(func() { deployCode(context.WithoutCancel(ctx), t, function, good) })
	stuck := start("stuck")
	eventually(ctx, t, "instance "+stuck.Instance+" is not stuck", func() bool {
		d, err := stuck.Describe(ctx)
		return err == nil && d.Status == client.StatusStuck
	})

	deployCode(ctx, t, function, good)
	after := start("after")
	awaitEvent(ctx, t, s.client, after.Instance, history.ExternalSubscribed)
	minute, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	eventually(minute, t, "instance "+stuck.Instance+" is stuck a minute after the rollback's first batch", func() bool {
		d, err := stuck.Describe(ctx)
		return err == nil && d.Status == client.StatusRunning
	})
	for _, run := range []*client.Run[string]{before, stuck, after} {
		if err := client.Raise(ctx, s.client, smokeapp.Signal, run.Instance, "here"); err != nil {
			t.Fatal(err)
		}
		if got, err := run.Wait(ctx); err != nil || got != "here" {
			t.Errorf("instance %s: %q, %v", run.Instance, got, err)
		}
		checkedHistory(ctx, t, s.client, sample(), run.Instance)
	}
}

// zipped builds a function, with more flags for the build, and returns the path of its archive.
func zipped(ctx context.Context, t *testing.T, folder string, flags ...string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bootstrap")
	build := exec.CommandContext(ctx, "go", append(append([]string{"build", "-tags", "lambda.norpc", "-o", bin}, flags...), folder)...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", folder, err, out)
	}
	code, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(bin + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	z := zip.NewWriter(archive)
	header := &zip.FileHeader{Name: "bootstrap", Method: zip.Deflate, Modified: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	header.SetMode(0o755)
	w, err := z.CreateHeader(header)
	if err == nil {
		_, err = w.Write(code)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return archive.Name()
}

// deployCode gives the deployed function that this variable names other code, and returns
// when it runs that.
func deployCode(ctx context.Context, t *testing.T, function, archive string) {
	t.Helper()
	paste(ctx, t, `aws --endpoint-url "$AWS_ENDPOINT_URL" lambda update-function-code --function-name "$function" --zip-file "fileb://$archive" &&
aws --endpoint-url "$AWS_ENDPOINT_URL" lambda wait function-updated --function-name "$function"`, "function="+variable(t, function), "archive="+archive)
}
