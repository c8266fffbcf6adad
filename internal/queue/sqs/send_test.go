package sqs_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/internal/queue"
)

type failures = map[string]types.BatchResultErrorEntry

func plain(bodies ...string) []queue.Outgoing {
	var out []queue.Outgoing
	for _, b := range bodies {
		out = append(out, queue.Outgoing{Body: b})
	}
	return out
}

func letters(from, n int) []string {
	var out []string
	for i := range n {
		out = append(out, string(rune('a'+from+i)))
	}
	return out
}

func TestQ06ExactlyTheFailedEntriesAreSentAgain(t *testing.T) {
	t.Parallel()
	f := &fake{send: func(call int, in *awssqs.SendMessageBatchInput) (*awssqs.SendMessageBatchOutput, error) {
		switch call {
		case 0:
			return answer(in, failures{"b": internal, "d": throttled, "e": internal}), nil
		case 1:
			return answer(in, failures{"e": throttled}), nil
		}
		return allIn(in), nil
	}}
	if err := f.open(t, standardURL).Send(t.Context(), plain(letters(0, 12)...)...); err != nil {
		t.Fatal(err)
	}
	want := [][]string{letters(0, 10), {"b", "d", "e"}, {"e"}, {"k", "l"}}
	if got := f.sent(); !reflect.DeepEqual(got, want) {
		t.Errorf("batches %q, want %q", got, want)
	}
	if want := []time.Duration{100 * time.Millisecond, 200 * time.Millisecond}; !reflect.DeepEqual(f.slept, want) {
		t.Errorf("slept %v, want %v", f.slept, want)
	}
}

func TestQ06AnEntryThatTheAnswerDoesNotMentionIsNotIn(t *testing.T) {
	t.Parallel()
	f := &fake{send: func(call int, in *awssqs.SendMessageBatchInput) (*awssqs.SendMessageBatchOutput, error) {
		out := allIn(in)
		if call == 0 {
			out.Successful = out.Successful[:1]
		}
		return out, nil
	}}
	if err := f.open(t, standardURL).Send(t.Context(), plain("a", "b", "c")...); err != nil {
		t.Fatal(err)
	}
	if got, want := f.sent(), [][]string{{"a", "b", "c"}, {"b", "c"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("batches %q, want %q", got, want)
	}
}

func TestQ06SuccessIsReportedOnlyWhenAllAreIn(t *testing.T) {
	t.Parallel()
	never := func(_ int, in *awssqs.SendMessageBatchInput) (*awssqs.SendMessageBatchOutput, error) {
		return answer(in, failures{"b": internal}), nil
	}
	t.Run("after the last attempt it is unavailable", func(t *testing.T) {
		t.Parallel()
		f := &fake{send: never}
		err := f.open(t, standardURL).Send(t.Context(), plain("a", "b")...)
		if !errors.Is(err, queue.ErrUnavailable) || !strings.Contains(err.Error(), "InternalError (try again)") {
			t.Errorf("Send: %v, want ErrUnavailable with the last answer", err)
		}
		if len(f.sends) != 8 || f.slept[6] != 5*time.Second {
			t.Errorf("%d attempts with pauses of %v, want 8 and at most 5 s", len(f.sends), f.slept)
		}
	})
	t.Run("when the context ends meanwhile it is both", func(t *testing.T) {
		t.Parallel()
		f := &fake{send: never, sleepErrors: map[int]error{1: context.DeadlineExceeded}}
		err := f.open(t, standardURL).Send(t.Context(), plain("a", "b")...)
		if !errors.Is(err, queue.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Send: %v, want ErrUnavailable and DeadlineExceeded", err)
		}
		if len(f.sends) != 2 {
			t.Errorf("%d attempts, want 2", len(f.sends))
		}
	})
}

func TestQ06ARejectedEntryIsNamedAndTheRestOfItsBatchIsSent(t *testing.T) {
	t.Parallel()
	f := &fake{send: func(call int, in *awssqs.SendMessageBatchInput) (*awssqs.SendMessageBatchOutput, error) {
		if call == 1 {
			return answer(in, failures{"l": invalid, "m": internal}), nil
		}
		return allIn(in), nil
	}}
	err := f.open(t, standardURL).Send(t.Context(), plain(letters(0, 25)...)...)
	var rejected *queue.RejectedError
	if !errors.As(err, &rejected) || rejected.Index != 11 || rejected.Code != "InvalidMessageContents" || rejected.Message != "what is this" {
		t.Errorf("Send: %v, want a RejectedError of message 11", err)
	}
	if errors.Is(err, queue.ErrUnavailable) {
		t.Errorf("Send: %v: a message that is rejected for good counts as a passing fault", err)
	}
	if got, want := f.sent(), [][]string{letters(0, 10), letters(10, 10), {"m"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("batches %q, want %q", got, want)
	}
}

func TestMessagesOfOneGroupGoInBatchesOneAfterTheOther(t *testing.T) {
	t.Parallel()
	f := &fake{}
	var msgs []queue.Outgoing
	for _, m := range []string{"a1", "a2", "b1", "c1", "b2", "a3"} {
		msgs = append(msgs, queue.Outgoing{Body: m, Group: m[:1]})
	}
	if err := f.open(t, fifoURL).Send(t.Context(), msgs...); err != nil {
		t.Fatal(err)
	}
	if got, want := f.sent(), [][]string{{"a1", "b1", "c1"}, {"a2", "b2"}, {"a3"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("batches %q, want %q", got, want)
	}
}

func TestEveryBatchKeepsTheLimitsAndTheOrderOfGroups(t *testing.T) {
	t.Parallel()
	// One buffer for all bodies: the sizes are what counts.
	text := strings.Repeat("x", queue.MaxBody)
	rapid.Check(t, func(rt *rapid.T) {
		fifo := rapid.Bool().Draw(rt, "fifo")
		var msgs []queue.Outgoing
		for i := range rapid.IntRange(0, 60).Draw(rt, "messages") {
			number := fmt.Sprintf("%03d", i)
			msgs = append(msgs, queue.Outgoing{
				Body:    number + text[:rapid.SampledFrom([]int{0, 1, 100, 100_000, 400_000, queue.MaxBody - 3}).Draw(rt, "size")],
				Group:   rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}).Draw(rt, "group"),
				DedupID: number,
			})
		}
		f := &fake{}
		url := standardURL
		if fifo {
			url = fifoURL
		}
		if err := f.open(t, url).Send(context.Background(), msgs...); err != nil {
			rt.Fatal(err)
		}
		seen, last := map[string]bool{}, map[string]string{}
		for _, in := range f.sends {
			size, groups := 0, map[string]bool{}
			for _, e := range in.Entries {
				body, group := *e.MessageBody, aws.ToString(e.MessageGroupId)
				size += len(body)
				if seen[body[:3]] {
					rt.Fatalf("message %s was sent twice", body[:3])
				}
				seen[body[:3]] = true
				if fifo && (groups[group] || body[:3] < last[group]) {
					rt.Fatalf("message %s of group %s is in a batch with, or after, a later one", body[:3], group)
				}
				groups[group], last[group] = true, body[:3]
			}
			if len(in.Entries) > 10 || len(in.Entries) == 0 || size > queue.MaxBody {
				rt.Fatalf("a batch of %d messages and %d bytes", len(in.Entries), size)
			}
		}
		if len(seen) != len(msgs) {
			rt.Fatalf("%d of %d messages were sent", len(seen), len(msgs))
		}
	})
}

func TestTheContentOfAnEntry(t *testing.T) {
	t.Parallel()
	full := queue.Outgoing{Body: "x", Group: "a", DedupID: "fact", Attributes: map[string]string{"reason": "r"}}
	attributes := map[string]types.MessageAttributeValue{"reason": {DataType: aws.String("String"), StringValue: aws.String("r")}}
	delayed := full
	delayed.Delay = 1500 * time.Millisecond
	for _, c := range []struct {
		name, url string
		in        queue.Outgoing
		want      types.SendMessageBatchRequestEntry
	}{
		{"a FIFO entry has its group and deduplication id", fifoURL, full, types.SendMessageBatchRequestEntry{
			MessageGroupId: aws.String("a"), MessageDeduplicationId: aws.String("fact"), MessageAttributes: attributes,
		}},
		{"without deduplication id it is left to the content", fifoURL, queue.Outgoing{Body: "x", Group: "a"}, types.SendMessageBatchRequestEntry{
			MessageGroupId: aws.String("a"),
		}},
		{"a standard entry has its group alone, and its delay is rounded up", standardURL, delayed, types.SendMessageBatchRequestEntry{
			DelaySeconds: 2, MessageAttributes: attributes, MessageGroupId: aws.String("a"),
		}},
		{"a standard entry without a group has none", standardURL, queue.Outgoing{Body: "x"}, types.SendMessageBatchRequestEntry{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{}
			if err := f.open(t, c.url).Send(t.Context(), c.in); err != nil {
				t.Fatal(err)
			}
			c.want.Id, c.want.MessageBody = aws.String("0"), aws.String("x")
			if got := f.sends[0].Entries[0]; !reflect.DeepEqual(got, c.want) {
				t.Errorf("entry %+v, want %+v", got, c.want)
			}
			if got := aws.ToString(f.sends[0].QueueUrl); got != c.url {
				t.Errorf("queue URL %q", got)
			}
		})
	}
}

func TestAnInvalidMessageKeepsAllFromBeingSent(t *testing.T) {
	t.Parallel()
	f := &fake{}
	err := f.open(t, standardURL).Send(t.Context(), queue.Outgoing{Body: "x"}, queue.Outgoing{Body: "x", Delay: 901 * time.Second})
	var invalid *queue.InvalidMessageError
	if !errors.As(err, &invalid) || invalid.Index != 1 {
		t.Errorf("Send: %v, want an InvalidMessageError of message 1", err)
	}
	if len(f.sends) != 0 {
		t.Errorf("%d batches were sent", len(f.sends))
	}
}

func TestUnorderedMessagesOfOneGroupShareABatch(t *testing.T) {
	t.Parallel()
	f := &fake{}
	var msgs []queue.Outgoing
	for _, m := range []string{"a1", "a2", "b1", "a3", "a4"} {
		msgs = append(msgs, queue.Outgoing{Body: m, Group: m[:1], Unordered: m != "a1" && m != "a4"})
	}
	if err := f.open(t, fifoURL).Send(t.Context(), msgs...); err != nil {
		t.Fatal(err)
	}
	if got, want := f.sent(), [][]string{{"a1", "a2", "b1", "a3"}, {"a4"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("batches %q, want %q", got, want)
	}
}

func TestAFailureNamesTheMessagesThatAreNotIn(t *testing.T) {
	t.Parallel()
	f := &fake{send: func(call int, in *awssqs.SendMessageBatchInput) (*awssqs.SendMessageBatchOutput, error) {
		if call == 1 {
			return answer(in, failures{"l": invalid}), nil
		}
		return allIn(in), nil
	}}
	err := f.open(t, standardURL).Send(t.Context(), plain(letters(0, 22)...)...)
	for i := range 22 {
		got := queue.ErrorOf(err, i)
		var rejected *queue.RejectedError
		switch {
		case i == 11:
			if !errors.As(got, &rejected) {
				t.Errorf("message 11: %v, want that it was rejected", got)
			}
		case i >= 20:
			if got == nil {
				t.Errorf("message %d, of a batch that was not sent, counts as sent", i)
			}
		case got != nil:
			t.Errorf("message %d is in: %v", i, got)
		}
	}
}
