package kept

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

// T is the part of *testing.T that Sample needs.
type T interface {
	Helper()
	Name() string
	Fatalf(format string, args ...any)
}

// Folder is the environment variable that makes Sample keep histories. Its value is the name of the build.
const Folder = "TURNSTILE_KEEP"

// Sample keeps the histories of all instances that the client finds at the end of a test: the export of each execution,
// in the file histories/BUILD/APPLICATION/TEST-INSTANCE-EXECUTION.json. It does nothing unless the environment variable
// TURNSTILE_KEEP names the build. It fails the test if a file exists.
func Sample(t T, c *client.Client, histories, application string) {
	t.Helper()
	build := os.Getenv(Folder)
	if build == "" {
		return
	}
	if err := sample(c, filepath.Join(histories, build, application), t.Name()); err != nil {
		t.Fatalf("histories not kept: %v", err)
	}
}

func sample(c *client.Client, folder, test string) error {
	ctx := context.Background()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for q := (client.ListQuery{}); ; {
		page, err := c.List(ctx, q)
		if err != nil {
			return err
		}
		for _, d := range page.Instances {
			for n := range d.Executions() {
				events, err := c.History(ctx, d.Instance, n)
				if err != nil {
					return err
				}
				export := history.EncodeExport(history.Export{Instance: d.Instance, ExecutionID: n, Events: events})
				name := fmt.Sprintf("%s-%s-%d.json", fileName(test), fileName(d.Instance), n)
				if err := WriteNew(filepath.Join(folder, name), export); err != nil {
					return err
				}
			}
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			return nil
		}
	}
}

var noLetters = regexp.MustCompile(`[^A-Za-z0-9]+`)

func fileName(s string) string { return strings.Trim(noLetters.ReplaceAllString(s, "-"), "-") }
