package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

func TestAnOlderSchemaIsMigratedAtOnceOrNotAtAll(t *testing.T) {
	t.Parallel()
	first, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	old, err := open(dir, first, nil)
	if err != nil {
		t.Fatal(err)
	}
	commit := func(db *DB, event int64) error {
		return db.Store().Commit(t.Context(), store.Commit{Turns: []store.Turn{{Instance: "i", ExecutionID: 1, Token: "t",
			Events: []history.Event{{Kind: history.ExternalEvent, EventID: event, Payload: []byte("1")}}}}})
	}
	if err := errors.Join(commit(old, 1), old.Close()); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, FileName)
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}

	second := append(first[:len(first):len(first)], "ALTER TABLE turns ADD COLUMN note TEXT; UPDATE turns SET note = 'old'")
	third := append(second[:len(second):len(second)], "CREATE TABLE more (a); INSERT INTO missing VALUES (1)")
	if _, err := open(dir, third, nil); err == nil || !strings.Contains(err.Error(), "no such table: missing") || !strings.Contains(err.Error(), name) {
		t.Fatalf("a migration that fails: %v", err)
	}
	if after, err := os.ReadFile(name); err != nil || string(after) != string(before) {
		t.Fatalf("a migration that failed has changed the file (%v)", err)
	}
	db, err := open(dir, second, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := commit(db, 2); err != nil {
		t.Error(err)
	}
	turns, err := db.Store().Read(t.Context(), "i", 1, 1)
	if err != nil || len(turns) != 2 {
		t.Errorf("%d turns, %v; want 2", len(turns), err)
	}
	noted := int64(0)
	if err := db.readers.read(func(c *conn) (err error) {
		noted, err = c.number("SELECT count(*) FROM turns WHERE note = 'old'")
		return err
	}); err != nil || noted != 1 {
		t.Errorf("%d turns are noted, %v; want 1", noted, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.inspect(name); err != nil {
		t.Error(err)
	}
	var newer *NewerError
	if _, err := open(dir, first, nil); !errors.As(err, &newer) || newer.Version != len(second) || newer.Known != len(first) {
		t.Errorf("opened by the older build: %v; want a NewerError", err)
	}
}
