package backend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/dev"
	"github.com/turnstile-go/turnstile/internal/supervised"
)

func TestAStackIsDistinguishedFromThoseOfTheSameNameElsewhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ stack, queue, words string }{
		{"shop", "https://sqs.eu-central-1.amazonaws.com/123456789012/shop-q.fifo", "stack shop in account 123456789012, eu-central-1"},
		{"shop", "http://sqs/q.fifo", "stack shop in eu-central-1"},
		{"", "https://sqs.eu-central-1.amazonaws.com/123456789012/q.fifo", "the stack of https://sqs.eu-central-1.amazonaws.com/123456789012/q.fifo"},
	} {
		if got := placeOfStack(c.stack, "eu-central-1", c.queue); got != (Place{ID: "the stack of " + c.queue, Words: c.words}) {
			t.Errorf("stack %q with the queue %s is %+v", c.stack, c.queue, got)
		}
	}
}

func TestAProjectIsRecognizedByItsFolder(t *testing.T) {
	project := t.TempDir()
	data := filepath.Join(project, dev.Data)
	if err := os.MkdirAll(filepath.Join(project, "app"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, supervised.ConsoleFile), []byte("http://127.0.0.1:8876/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(project, "app"))
	for _, local := range []bool{true, false} {
		s := &Settings{Local: local, Getenv: func(string) string { return "" }}
		at, err := Open(s).Place(t.Context())
		if err != nil || !strings.HasSuffix(at.ID, project) {
			t.Errorf("with --local %v it is %+v, %v", local, at, err)
		}
	}
	s := &Settings{Console: "http://127.0.0.1:1/", Getenv: func(string) string { return "" }}
	if at, err := Open(s).Place(t.Context()); err != nil || at.Words != "the console at http://127.0.0.1:1/" {
		t.Errorf("a console is %+v, %v", at, err)
	}
}
