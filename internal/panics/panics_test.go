package panics

import "testing"

func TestR14TheStackOfAPanicIsTheAuthors(t *testing.T) {
	t.Parallel()
	const (
		head    = "goroutine 7 [running]:"
		ours    = "\nruntime/debug.Stack()\n\t/go/debug/stack.go:26 +0x5e\ngithub.com/turnstile-go/turnstile/engine.(*coroutine).body.func1()\n\t/t/engine/coroutine.go:73 +0x78\npanic({0x1, 0x2})\n\t/go/panic.go:860 +0x13a"
		surface = "\ngithub.com/turnstile-go/turnstile.Activity[...].Start(0x1)\n\t/t/activity.go:89 +0x345"
		nilMap  = "\nruntime.mapassign_faststr(0x1)\n\t/go/map.go:263 +0x1"
		helper  = "\nexample.com/shop.helper(...)\n\t/shop/helper.go:3"
		undo    = "\ngithub.com/turnstile-go/turnstile.(*Saga).Compensate(0x1)\n\t/t/saga.go:56 +0xec"
		flow    = "\nexample.com/shop.flow({0x1})\n\t/shop/flow.go:7 +0x28"
		below   = "\ngithub.com/turnstile-go/turnstile.Orchestration[...].Is.func2({0x1})\n\t/t/orchestration.go:65 +0xd5\ngithub.com/turnstile-go/turnstile/engine.(*coroutine).body(0x1)\n\t/t/engine/coroutine.go:84 +0xb3\niter.Pull[...].func1()\n\t/go/iter.go:301 +0xe5\ncreated by iter.Pull[...] in goroutine 19\n\t/go/iter.go:271 +0x90\n"
	)
	for name, c := range map[string]struct{ stack, want string }{
		"a panic of the author's code":               {head + ours + helper + flow + below, head + helper + flow},
		"a panic of the runtime":                     {head + ours + nilMap + helper + flow + below, head + helper + flow},
		"a panic that reports a wrong call":          {head + ours + surface + flow + below, head + flow},
		"a panic in code that the engine calls back": {head + ours + helper + undo + flow + below, head + helper + undo + flow},
		"a panic of the runtime in the engine":       {head + ours + nilMap + surface + flow + below, head + surface + flow},
		"no panic, as for a blocked goroutine":       {head + surface + flow + below, head + flow},
		"none of the author's code":                  {head + ours + below, head + ours + below},
		"no stack":                                   {"main.go:7", "main.go:7"},
		"nothing at all":                             {"", ""},
	} {
		if got := Stack(c.stack); got != c.want {
			t.Errorf("%s: left is\n%s\nwant\n%s", name, got, c.want)
		}
	}
}
