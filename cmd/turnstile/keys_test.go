package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/keyfile"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/codec/gzip"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func keyBytes(id string) []byte { return bytes.Repeat([]byte(id[:1]), aesgcm.KeySize) }

// encodedBy is a set that seals under gzip and a key of that id.
func encodedBy(t *testing.T, id string) *codec.Set {
	t.Helper()
	k, err := aesgcm.New(id, keyBytes(id))
	if err != nil {
		t.Fatal(err)
	}
	set, err := codec.NewSet(codec.Chain(gzip.New(), k))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// putEncoded is put for an instance whose payloads are sealed.
func (b *bench) putEncoded(set *codec.Set, r store.Record, events ...history.Event) {
	b.t.Helper()
	change, err := set.EncodeChange(r.Instance, &store.RecordChange{Create: &r})
	if err != nil {
		b.t.Fatal(err)
	}
	turns, err := set.EncodeTurns([]store.Turn{{Instance: r.Instance, ExecutionID: 1, Events: events}})
	if err != nil {
		b.t.Fatal(err)
	}
	b.put(*change.Create, turns[0].Events...)
}

// hidden stands in every sealed payload.
const hidden = "4929-1234"

func encodedInstances(t *testing.T) *bench {
	b := newBench(t)
	at := func(d time.Duration) int64 { return epoch.Add(d).UnixMilli() }
	value := []byte(`{"card":"` + hidden + `"}`)
	b.putEncoded(encodedBy(t, "a"), store.Record{Instance: "done", Name: "Fulfil", Status: store.StatusCompleted, CreatedAt: epoch.Add(-time.Hour),
		EndedAt: epoch.Add(-time.Minute), Output: value, States: history.EncodeStates([]history.State{{Name: history.ListedState, Value: value}})},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", AtMS: at(-time.Hour), Payload: value, Start: &history.Start{ExecutionID: 1}},
		history.Event{Kind: history.OrchestrationCompleted, AtMS: at(-time.Minute), Payload: value})
	body, err := encodedBy(t, "a").MarshalItem(wire.Item{V: 1, Kind: wire.ExternalRaised, Instance: "gone", Name: "approved", ID: "e", Data: value})
	if err != nil {
		t.Fatal(err)
	}
	b.send(deadletter.DeadFIFO, queue.Outgoing{Body: string(body), Group: "gone", DedupID: "d", Attributes: because(wire.ReasonUnknownInstance, "it never came")})
	return b
}

func TestEncodedPayloadsAreShownIfTheKeyIsGiven(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keys")
	text := "# of production\n\ngzip+aesgcm:b " + base64.StdEncoding.EncodeToString(keyBytes("b")) + "\naesgcm:a " + hex.EncodeToString(keyBytes("a")) + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	letter := encodedInstances(t).letterID(t)
	looks := [][]string{
		{"describe", "done"}, {"describe", "done", "--output", "json"}, {"list", "--output", "json"}, {"wait", "done"}, {"wait", "done", "--output", "json"},
		{"history", "done"}, {"history", "done", "--export"}, {"dead-letter", "show", letter}, {"dead-letter", "show", letter, "--output", "json"},
	}
	for _, args := range looks {
		for name, give := range map[string]func(b *bench, args []string) []string{
			"a flag":                  func(_ *bench, args []string) []string { return append(args, "--key-file", file) },
			"a variable with a file":  func(b *bench, args []string) []string { b.env[keyfile.FileVariable] = file; return args },
			"a variable with the key": func(b *bench, args []string) []string { b.env[keyfile.Variable] = text; return args },
		} {
			b := encodedInstances(t)
			r := b.run(give(b, append([]string{}, args...))...)
			if r.status != exitOK || !strings.Contains(r.out, hidden) || r.err != "" {
				t.Errorf("%v with the key by %s: status %d: %s%s", args, name, r.status, r.out, r.err)
			}
		}
		b := encodedInstances(t)
		r := b.run(args...)
		all := r.out + r.err
		if strings.Contains(all, hidden) || !strings.Contains(all, "gzip+aesgcm:a") {
			t.Errorf("%v without the key does not say what seals it: %s", args, all)
		}
		if asJSON := args[len(args)-1] == "json" || args[len(args)-1] == "--export"; asJSON && (r.status != exitOK || !json.Valid([]byte(r.out))) {
			t.Errorf("%v without the key: status %d: %s", args, r.status, all)
		} else if !asJSON && !strings.Contains(all, "--key-file") {
			t.Errorf("%v without the key does not say what to do: %s", args, all)
		}
	}
}

// letterID is the id of the only dead letter.
func (b *bench) letterID(t *testing.T) string {
	t.Helper()
	var found api.DeadLetters
	if err := json.Unmarshal([]byte(b.ok("dead-letter", "list", "--output", "json")), &found); err != nil || len(found.Letters) != 1 {
		t.Fatalf("%d dead letters, %v", len(found.Letters), err)
	}
	return found.Letters[0].MessageID
}

func TestAnOutputThatCannotBeShownIsNoNull(t *testing.T) {
	t.Parallel()
	encodedInstances(t).fails(exitFailed, []string{`instance "done" completed`, "gzip+aesgcm:a", "--key-file"}, "wait", "done")
}

func TestWhatIsSentIsEncryptedByTheFirstKey(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.env[keyfile.Variable] = "gzip+aesgcm:b " + base64.RawURLEncoding.EncodeToString(keyBytes("b")) + "\naesgcm:a " + hex.EncodeToString(keyBytes("a"))
	b.ok("raise", "--early", "order-1", "approved", "--data", `"`+hidden+`"`)
	b.ok("start", "Fulfil", "--input", `"`+hidden+`"`)
	for _, m := range b.queue(deadletter.Orchestrator).Peek() {
		item, err := wire.Parse([]byte(m.Body))
		if err != nil || item.Codec != "gzip+aesgcm:b" || strings.Contains(m.Body, hidden) {
			t.Errorf("sent is %s, %v", m.Body, err)
		}
		if item, err = encodedBy(t, "b").DecodeItem(item); err != nil || string(item.Data)+string(item.Input) != `"`+hidden+`"` {
			t.Errorf("opened it is %s%s, %v", item.Data, item.Input, err)
		}
	}
	if n := len(b.queue(deadletter.Orchestrator).Peek()); n != 2 {
		t.Errorf("%d messages were sent", n)
	}
}

func TestKeysThatCannotBeReadAreNotShown(t *testing.T) {
	t.Parallel()
	good := base64.StdEncoding.EncodeToString(keyBytes("a"))
	for name, c := range map[string]struct {
		text string
		says []string
	}{
		"no mark":               {good, []string{"line 1", "must start with a codec"}},
		"a mark of no codec":    {"# x\nzip:a " + good, []string{"line 2", "must start with a codec"}},
		"no key":                {"aesgcm:a", []string{"aesgcm:a must be followed by its key"}},
		"two keys":              {"aesgcm:a " + good + " " + good, []string{"aesgcm:a must be followed by its key"}},
		"a short key":           {"aesgcm:a " + good[:20], []string{"the key of aesgcm:a", "32 bytes"}},
		"what is no base64":     {"aesgcm:a %%" + good, []string{"the key of aesgcm:a", "32 bytes"}},
		"a bad id":              {"aesgcm:a/b " + good, []string{"key id"}},
		"a key for compression": {"gzip " + good, []string{"gzip has no key"}},
		"several at once":       {"gzip x\naesgcm:b", []string{"line 1", "line 2"}},
	} {
		b := newBench(t)
		b.env[keyfile.Variable] = c.text
		b.fails(exitFailed, append(c.says, keyfile.Variable), "describe", "order-1")
		if r := b.run("describe", "order-1"); strings.Contains(r.err, good[:12]) {
			t.Errorf("%s: the key is shown: %s", name, r.err)
		}
	}
	newBench(t).fails(exitFailed, []string{"--key-file", "no such file"}, "describe", "order-1", "--key-file", filepath.Join(t.TempDir(), "none"))
}

// Without any key, what is compressed alone is shown.
func TestCompressionNeedsNoKey(t *testing.T) {
	t.Parallel()
	set, err := codec.NewSet(gzip.New())
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.putEncoded(set, store.Record{Instance: "done", Name: "Fulfil", Status: store.StatusCompleted, CreatedAt: epoch, EndedAt: epoch, Output: []byte(`"` + hidden + `"`)})
	if got := b.ok("wait", "done"); got != `"`+hidden+`"`+"\n" {
		t.Errorf("its output is %q", got)
	}
}
