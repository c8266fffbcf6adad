package dynamo_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// The notes of failed attempts cost nothing: as long as the errors are no longer than what
// is kept of them, the item of an activity stays below 1 KB, so that a note is one write
// unit however many were written. With the longest errors it is two.
func TestTheNotesOfFailedAttemptsKeepAnActivitysItemSmall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, most int }{{store.MaxEarlierText, 1024}, {store.MaxNextText, 2048}} {
		f := &fake{t: t}
		item := map[string]types.AttributeValue{}
		f.update = func(in *dynamodb.UpdateItemInput) (*dynamodb.UpdateItemOutput, error) {
			for name, v := range in.Key {
				item[name] = v
			}
			for set := range strings.SplitSeq(strings.TrimPrefix(*in.UpdateExpression, "SET "), ", ") {
				name, value, _ := strings.Cut(set, " = ")
				if in.ExpressionAttributeValues[value] == nil {
					t.Fatalf("%s sets %q to %q, which is not given", *in.UpdateExpression, name, value)
				}
				item[name] = in.ExpressionAttributeValues[value]
			}
			return &dynamodb.UpdateItemOutput{Attributes: item}, nil
		}
		f.get = func(*dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) {
			return &dynamodb.GetItemOutput{Item: item}, nil
		}
		a := dynamo.NewActivities(f, (&waits{}).config())
		key := store.ActivityKey{Instance: "6a1c9c3e-5b1f-4f0a-8a51-0242ac120002", ExecutionID: 12, EventID: 345}
		at := time.UnixMilli(1_900_000_123_456).UTC()
		if _, err := a.Heartbeat(t.Context(), key, store.Heartbeat{Attempt: 1, At: at}, at.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		for n := 2; n <= 20; n++ {
			at = at.Add(61_001 * time.Millisecond)
			next := store.NextAttempt{Attempt: n, DueAt: at.Add(12_345_678 * time.Millisecond), NotedAt: at, StartedAt: at.Add(-59_999 * time.Millisecond),
				RequestID: "8f5c1f0e-7c37-4d35-9b1b-3d3c2f7f7a11", Kind: "heartbeat_timeout", Message: strings.Repeat("x", c.text)}
			if n%2 == 1 && c.text == store.MaxNextText {
				next.Actor = "ada % of\tthe bänk"
			}
			if err := a.NoteNext(t.Context(), key, next, at.Add(336*time.Hour)); err != nil {
				t.Fatal(err)
			}
			if size := dynamo.ItemSize(item); size > c.most {
				t.Fatalf("after the note of attempt %d, with errors of %d bytes, the item has %d bytes, want %d at most", n, c.text, size, c.most)
			}
		}
		if s, err := a.State(t.Context(), key); err != nil || len(s.Earlier) != store.MaxEarlier || s.Earlier[0].Attempt != 17 || (s.Earlier[0].Actor == "ada % of\tthe bänk") != (c.text == store.MaxNextText) || s.Next.Actor != "" {
			t.Errorf("%+v, %v", s, err)
		}
	}
}
