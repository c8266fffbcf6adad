package loglines

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestLinesAreFoundByTheirInstance(t *testing.T) {
	t.Parallel()
	var k Kept
	var base bytes.Buffer
	log := slog.New(k.Handler(slog.NewTextHandler(&base, &slog.HandlerOptions{Level: slog.LevelWarn})))
	log.Info("before anybody looks", "instance", "a")
	k.Keep()
	log.Info("of nobody")
	log.Debug("too fine", "instance", "a")
	log.With("instance", "a", "execution_id", int64(2)).WithGroup("call").Info("one", "event_id", 7, slog.Group("in", "n", 1))
	log.Warn("two", "instance", "a", "event_id", 3, "attempt", 4, "error", fmt.Errorf("no"))
	log.Info("three", "instance", "b")

	lines, more := k.Of("a")
	if len(lines) != 2 || more {
		t.Fatalf("a has %v, more %v", lines, more)
	}
	if l := lines[0]; l.Message != "one" || l.ExecutionID != 2 || l.Attributes["call.event_id"] != "7" || l.Attributes["call.in.n"] != "1" || l.EventID != 0 {
		t.Errorf("the first line is %+v", l)
	}
	if l := lines[1]; l.Level != "WARN" || l.EventID != 3 || l.Attempt != 4 || l.Attributes["error"] != "no" || l.At.IsZero() {
		t.Errorf("the second line is %+v", l)
	}
	if text := base.String(); strings.Contains(text, "one") || !strings.Contains(text, "two") {
		t.Errorf("the logger beneath has\n%s", text)
	}
}

func TestTheOldestLinesGo(t *testing.T) {
	t.Parallel()
	var k Kept
	k.Keep()
	log := slog.New(k.Handler(nil))
	for i := range mostKept + 10 {
		log.Info(fmt.Sprint(i), "instance", fmt.Sprint(i%2))
	}
	lines, more := k.Of("1")
	if last := lines[len(lines)-1].Message; len(lines) != mostShown || !more || last != fmt.Sprint(mostKept+9) {
		t.Errorf("%d lines to %s, more %v", len(lines), last, more)
	}
	if n := len(k.lines); n != mostKept {
		t.Errorf("%d lines are kept", n)
	}
	log.Info(strings.Repeat("ü", longest), "instance", "long", "text", "\xff")
	lines, more = k.Of("long")
	if len(lines) != 1 || !more || len(lines[0].Message) > longest+len("…") || lines[0].Attributes["text"] != "\ufffd" {
		t.Errorf("a long line is kept as %v", lines)
	}
}
