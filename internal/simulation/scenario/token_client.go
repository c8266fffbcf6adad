package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// handOut gives the token of a pending activity to a client. The client uses it once or
// twice, and sends heartbeats before or after that; a forger with a made-up token does the
// same.
func handOut(w *world.World, in *program.Work, info *activities.Info) {
	w.Ledger.Outside.Handed[keyOf(info)] = true
	client := w.Choices.At(w.Choices.At(choice.OfClient, info.Instance), "token")
	use := func(what string, after time.Duration) {
		w.Clock.AfterFunc(after, func() { sendByToken(w, info.CompletionToken, what) })
	}
	at := time.Duration(w.Choices.IntN(client, 60)) * time.Second
	if w.Choices.OneIn(client, 4) {
		at *= 60
	}
	if in.Do != program.DoesNever {
		what := func(mark string) string {
			return fmt.Sprintf(`"kind":"ActivityCompleted","result":"%s#%s"`, in.Result(), mark)
		}
		if in.Refused {
			what = func(mark string) string {
				return fmt.Sprintf(`"kind":"ActivityFailed","details":{"kind":"application","message":"refused %s"}`, mark)
			}
		}
		use(what("first"), at)
		if w.Choices.OneIn(client, 3) {
			use(what("again"), at+time.Duration(w.Choices.IntN(client, 3600))*time.Second)
		}
	}
	for i := range w.Choices.IntN(client, 4) {
		use(fmt.Sprintf(`"kind":"ActivityHeartbeat","data":"sign %d of attempt %d"`, i, info.Number), time.Duration(1+i)*silence(w, info)/2)
	}
	if w.Choices.OneIn(client, 4) {
		own, err := wire.ParseActivityToken(info.CompletionToken)
		if err != nil {
			w.Violate("A-12", "an attempt got a token that cannot be parsed: %v", err)
			return
		}
		own.Token = world.ForgedToken
		w.Clock.AfterFunc(at/2, func() { sendByToken(w, own.String(), `"kind":"ActivityHeartbeat","data":"`+world.ForgedSign+`"`) })
	}
}

// silence is the heartbeat timeout of an activity, or that of other activities if it has
// none.
func silence(w *world.World, info *activities.Info) time.Duration {
	x := w.Ledger.Executions[ledger.At(info.Instance, info.ExecutionID)]
	if x != nil && info.EventID <= int64(len(x.Events)) {
		if r := x.Events[info.EventID-1].Retry; r != nil && r.HeartbeatTimeoutMS > 0 {
			return time.Duration(r.HeartbeatTimeoutMS) * time.Millisecond
		}
	}
	return 2 * program.Silence
}

// sendByToken sends what a client in another language would send.
func sendByToken(w *world.World, token, what string) {
	body := fmt.Sprintf(`{"v":1,"activity_token":%q,%s}`, token, what)
	item, err := w.Item(body)
	if err != nil {
		w.Violate("A-12", "a message with the token of an activity cannot be parsed: %v: %s", err, body)
		return
	}
	dedup := wire.DedupID(item)
	if strings.Contains(what, "ActivityHeartbeat") || dedup == "" {
		dedup = fmt.Sprintf("by-token-%d", w.Steps)
	}
	w.SendAs("who has a token", w.FIFO, queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: dedup})
}
