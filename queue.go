package turnstile

import "github.com/turnstile-go/turnstile/internal/names"

// Queue sends the attempts of an activity to the activity queue with this name. The queue has its own
// workers, for example with a GPU, with more memory, or for urgent work. The name is 1 to 40
// lower-case letters, digits and hyphens; "default" is the unnamed queue.
//
//	var Render = turnstile.NewActivity[Scene, Video]("Render").With(turnstile.Queue("gpu"))
//
// The name is recorded when the activity is scheduled, so a changed name applies to activities that
// are scheduled later. On AWS `turnstile queue add gpu` adds the queue and its function to the
// template; package embedded serves each queue that an activity of the App names. An attempt whose
// queue has no worker is requeued through the delay queue, like an attempt of an unregistered
// activity, until the queue exists or the [TotalTimeout] expires.
//
// An invalid name is an error of [App.Err] and of the call. The option works for Call and Start.
// With Inline, which runs in the process of the orchestration, it is a [*MisuseError].
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

// FairnessKey shares the workers of an activity's queue fairly between keys, such as tenants: a tenant
// with 10,000 waiting attempts does not delay the ten attempts of another tenant. The key is 1 to 256
// bytes of UTF-8 without control characters. Give the option at the call, where the tenant is known:
//
//	Render.With(turnstile.FairnessKey(order.Tenant)).Call(ctx, scene)
//
// In memory and with SQLite the keys of a queue take turns, one attempt each; attempts without a
// key share one turn. On AWS the key is the message group of an SQS fair queue, which prefers quiet
// tenants, approximately, while another tenant is noisy. Retries keep their key. FairnessKey does
// not affect the turns of orchestrations.
//
// An invalid key is an error of [App.Err] and of the call. With Inline the option is a
// [*MisuseError].
func FairnessKey(key string) ActivityOption { return fairKey(key) }

type fairKey string

func (k fairKey) applyToActivity(o *activityOptions) {
	if p := names.LimitKey(string(k)); p != "" {
		o.problems = append(o.problems, &InvalidArgumentError{Call: "FairnessKey", Argument: "key", Problem: p})
		return
	}
	o.FairKey = string(k)
}
