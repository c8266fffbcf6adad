package turnstile

import "github.com/turnstile-go/turnstile/internal/names"

// Queue sends the attempts of an activity through the activity queue of this name, which
// has workers of its own: those with a GPU or more memory, those for what is urgent. The
// name is 1 to 40 lower-case letters, digits and hyphens; "default" is the queue that has
// no name.
//
//	var Render = turnstile.NewActivity[Scene, Video]("Render").With(turnstile.Queue("gpu"))
//
// It is recorded when the activity is scheduled, so another name is for what is
// scheduled after it. On AWS `turnstile queue add gpu` adds the queue and its function to
// the template; package embedded serves each queue that an activity of the App names. An
// attempt whose queue nobody serves goes round in the default queue, as one whose
// activity is not registered does, until the queue is there or the [TotalTimeout] is over.
//
// A value that is not valid is an error of [App.Err] and of the call. It is for Call and Start;
// Inline runs in the process of the orchestration, and is a [*MisuseError] with it.
func Queue(name string) ActivityOption { return queueName(name) }

type queueName string

func (q queueName) applyToActivity(o *activityOptions) {
	if p := names.Queue(string(q)); p != "" {
		o.problems = append(o.problems, &InvalidArgumentError{Call: "Queue", Argument: "name", Problem: p})
		return
	}
	if o.Queue = string(q); q == names.DefaultQueue {
		o.Queue = ""
	}
}

// FairBy shares the workers of an activity's queue by key, such as the tenant: one with
// 10,000 attempts waiting does not hold up another's ten. The key is 1 to 256 bytes of
// UTF-8 without control characters. Give it at the call, where the tenant is known:
//
//	Render.With(turnstile.FairBy(order.Tenant)).Call(ctx, scene)
//
// In memory and with SQLite the keys of a queue take turns, one attempt each; attempts
// without a key are one key together. On AWS it is the message group of SQS's fair queues,
// which prefer quiet tenants once one is noisy, approximately. Retries keep their key. What
// orchestrations themselves do is not shared by it.
//
// A value that is not valid is an error of [App.Err] and of the call. Inline is a
// [*MisuseError] with it.
func FairBy(key string) ActivityOption { return fairKey(key) }

type fairKey string

func (k fairKey) applyToActivity(o *activityOptions) {
	if p := names.LimitKey(string(k)); p != "" {
		o.problems = append(o.problems, &InvalidArgumentError{Call: "FairBy", Argument: "key", Problem: p})
		return
	}
	o.FairKey = string(k)
}
