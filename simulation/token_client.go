package simulation

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/simulation/program"
	"github.com/turnstile-go/turnstile/wire"
)

// handOut gives the token of a pending activity to a client. He uses it at some
// time, or twice; gives signs of life before or behind that; and somebody who
// has made up a token does so too.
func (w *World) handOut(in *program.Work, info *activity.Info) {
	w.ledger.outside.handed[keyOf(info)] = true
	client := w.choices.At(w.choices.At(choice.OfClient, info.Instance), "token")
	use := func(what string, after time.Duration) {
		w.clock.AfterFunc(after, func() { w.sendByToken(info.CompletionToken, what) })
	}
	at := time.Duration(w.choices.IntN(client, 60)) * time.Second
	if w.choices.OneIn(client, 4) {
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
		if w.choices.OneIn(client, 3) {
			use(what("again"), at+time.Duration(w.choices.IntN(client, 3600))*time.Second)
		}
	}
	for i := range w.choices.IntN(client, 4) {
		use(fmt.Sprintf(`"kind":"ActivityHeartbeat","data":"sign %d of attempt %d"`, i, info.Attempt), time.Duration(1+i)*program.Silence)
	}
	if w.choices.OneIn(client, 4) {
		own, err := wire.ParseActivityToken(info.CompletionToken)
		if err != nil {
			w.violate("A-12", "an attempt got a token that can't be read: %v", err)
			return
		}
		own.Token = forgedToken
		w.clock.AfterFunc(at/2, func() { w.sendByToken(own.String(), `"kind":"ActivityHeartbeat","data":"`+forgedSign+`"`) })
	}
}

// forgedSign is what a heartbeat says whose token is made up.
const forgedSign = "made up"

// sendByToken sends what somebody in another language would send.
func (w *World) sendByToken(token, what string) {
	body := fmt.Sprintf(`{"v":1,"activity_token":%q,%s}`, token, what)
	item, err := w.item(body)
	if err != nil {
		w.violate("A-12", "what was sent with the token of an activity can't be read: %v: %s", err, body)
		return
	}
	dedup := wire.DedupID(item)
	if strings.Contains(what, "ActivityHeartbeat") || dedup == "" {
		dedup = fmt.Sprintf("by-token-%d", w.Steps)
	}
	w.sendAs("who has a token", w.fifo, queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: dedup})
}
