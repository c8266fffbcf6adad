package client_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

func TestE10ARaiseIsCheckedAgainstWhatIsKnown(t *testing.T) {
	t.Parallel()
	type approval struct {
		By string `json:"by"`
	}
	one := turnstile.NewOrchestration[int, int]("One")
	approved, other := turnstile.NewEvent[approval]("approved"), turnstile.NewEvent[int]("other")
	e := arrange(t, nil, approved, one.Implement(func(ctx turnstile.Context, _ int) (int, error) {
		for range 12 {
			other.Next(ctx)
		}
		_, err := approved.Wait(ctx)
		return 0, err
	}))
	ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, one, 1, client.WithInstanceID("i")))
	looked := make(chan struct{})
	e.AfterFunc(time.Minute, func() { close(looked) })
	e.run()
	<-looked
	for _, c := range []struct {
		instance, name, data string
		says                 []string
	}{
		{"i", "approved", `{"by":"Ada"}`, nil},
		{"i", "approved", ``, nil},
		{"i", "other", `"not known"`, nil}, // The application was not given this one.
		{"i", "approvd", `{"by":7}`, []string{`is not waiting for event "approvd": the event is kept until the code waits for it. The instance waits for event "other", "approved"; did you mean "approved"?`}},
		{"i", "approved", `{"by":7}`, []string{"by of type string"}},
		{"i", "approved", `{"bye":"Ada"}`, []string{`unknown field "bye"; did you mean "by"?`}},
		{"nobody", "approved", `{"by":7}`, []string{"by of type string"}},
		{"nobody", "anything", ``, nil},
	} {
		notes := ok[client.RaiseCheck](t)(e.client.ValidateRaise(e.ctx, client.RaiseRequest{Instance: c.instance, Name: c.name, Data: []byte(c.data)})).Notes()
		if len(notes) != len(c.says) || len(notes) > 0 && !strings.Contains(notes[0], c.says[0]) {
			t.Errorf("%s %s %s: %q, want %q", c.instance, c.name, c.data, notes, c.says)
		}
	}
}
