package memory_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
)

func TestAMessageThatIsLongerThanTheQueueTakesIsRejectedAlone(t *testing.T) {
	t.Parallel()
	q, err := memory.New(memory.Options{MaxBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	err = q.Send(t.Context(), queue.Outgoing{Body: "short"}, queue.Outgoing{Body: strings.Repeat("x", 11)}, queue.Outgoing{Body: strings.Repeat("y", 10)})
	rejected, is := errors.AsType[*queue.RejectedError](err)
	if !is || rejected.Index != 1 || !rejected.TooLarge || queue.ErrorOf(err, 0) != nil || queue.ErrorOf(err, 2) != nil {
		t.Errorf("Send: %v, want that message 1 alone is rejected for its size", err)
	}
	if got := len(q.Peek()); got != 2 {
		t.Errorf("%d messages are in, want 2", got)
	}
	if _, err := memory.New(memory.Options{MaxBytes: queue.MaxBody + 1}); err == nil {
		t.Error("a queue takes more than SQS does")
	}
}
