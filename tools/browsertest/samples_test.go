package browsertest

import (
	"bufio"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// Each of the other samples, as its -console serves it: its instances and every
// part of them. (Orders is in the demo's story.)
func TestEverySampleIsShown(t *testing.T) {
	t.Parallel()
	theBrowser(t)
	bin := t.TempDir()
	samples := map[string][]string{ // what each shows
		"agent": {"Started"}, "approval": {"request-17", "Approve"}, "files": {"Started"}, "subscription": {"subscription-ada", "Subscribe"},
	}
	args := []string{"build", "-o", bin + string(filepath.Separator)}
	for name := range samples {
		args = append(args, "github.com/turnstile-go/turnstile/examples/"+name)
	}
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("they do not build: %v\n%s", err, out)
	}
	for name, texts := range samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &site{t: t, url: serveSample(t, filepath.Join(bin, name))}
			b := s.open("", browser.View{})
			b.settled()
			b.wait(`document.querySelector("[data-instance]")`)
			b.shows(texts...)
			b.axeFinds("the list")
			ids := eval[[]string](b, `[...new Set([...document.querySelectorAll("main [data-instance]")].map(e => e.dataset.instance))].slice(0, 3)`)
			for _, id := range ids {
				// What axe-core says of each part is in TestEveryPartOfAnInstanceIsAccessible.
				for _, part := range []string{"/history", "/waiting", "/tree", "/values", ""} {
					b.goTo(instance(id, part))
				}
				b.wait(`document.querySelector(".tl-line.row, main .empty")`)
				b.axeFinds(id)
			}
		})
	}
}

// serveSample runs a sample with its console until the test ends, and returns the
// page's address.
func serveSample(t *testing.T, binary string) string {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), binary, "-console", "-addr", "127.0.0.1:0", "-pace", "1s")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	t.Cleanup(func() {
		// As Ctrl-C: it ends by itself, and without an error.
		_ = cmd.Process.Signal(syscall.SIGINT)
		for lines.Scan() { // What it still tells.
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the sample ended with %v", err)
		}
	})
	for lines.Scan() {
		if _, url, found := strings.Cut(lines.Text(), "http://"); found {
			// It goes on telling: somebody has to listen.
			more := make(chan bool)
			go func() {
				defer close(more)
				for lines.Scan() {
				}
			}()
			t.Cleanup(func() {
				_ = cmd.Process.Signal(syscall.SIGINT)
				<-more
			})
			url, _, _ = strings.Cut(url, " ")
			return "http://" + strings.TrimSuffix(url, "/") + "/"
		}
	}
	t.Fatalf("%s does not say where its console is: %v", binary, lines.Err())
	return ""
}
