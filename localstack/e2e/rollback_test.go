//go:build unix

package e2e_test

import (
	archivezip "archive/zip"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/smokeapp"
)

// TestR18 deploys a build that works, one that does not, and the first again. What is stuck
// then goes on; how soon is tested in virtual time
// (TestR18ABuildRedeployedWithinFiveMinutesTriesAtOnce). The test changes the function that all
// tests of the deployed stack share, so it runs ahead of them: it is not parallel.
func TestR18ARollbackWithinFiveMinutesTakesOnWhatIsStuck(t *testing.T) {
	s, ctx := deployed(t)
	const function = "TURNSTILE_ORCHESTRATOR_FUNCTION"
	good, broken := zip(t, deployedFunction(t, "OrchestratorFunction")), zip(t, build(ctx, t, "./testdata/broken", ""))
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
	eventually(ctx, t, "instance "+stuck.Instance+" is still stuck", func() bool {
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

// deployedFunction is the program of a function of the stack, as `local.sh up` built it.
func deployedFunction(t *testing.T, function string) string {
	t.Helper()
	return filepath.Join(variable(t, "TURNSTILE_LOCAL_FUNCTIONS"), function, "bootstrap")
}

// build builds a program of testdata as the functions of the stack are built, so that nothing
// they share is compiled again, and returns its path.
func build(ctx context.Context, t *testing.T, program, ldflags string) string {
	t.Helper()
	out := t.TempDir()
	made := exec.CommandContext(ctx, "make", "--silent", "--directory", "../..", "--file", "localstack/e2e/testdata/Makefile",
		"program", "ARTIFACTS_DIR="+out, "GOARCH="+runtime.GOARCH, "PROGRAM=./localstack/e2e/"+program, "LDFLAGS=-s -w "+ldflags)
	if text, err := made.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", program, err, text)
	}
	return filepath.Join(out, "bootstrap")
}

// zip returns the path of an archive with the program of a function.
func zip(t *testing.T, program string) string {
	t.Helper()
	code, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(filepath.Join(t.TempDir(), "function.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	z := archivezip.NewWriter(archive)
	// LocalStack unpacks it on this machine: it is not worth the time to compress it.
	header := &archivezip.FileHeader{Name: "bootstrap", Method: archivezip.Store, Modified: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
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
