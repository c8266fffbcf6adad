package turnstile

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// interceptedCode returns the code of an orchestration wrapped by the interceptors; code itself if
// there are none.
func interceptedCode(code engine.Func, interceptors []Interceptor) engine.Func {
	for i := len(interceptors) - 1; i >= 0; i-- {
		if own := interceptors[i]; own.Orchestration != nil {
			code = own.aroundOrchestration(code)
		}
	}
	return code
}

func (i Interceptor) aroundOrchestration(inner engine.Func) engine.Func {
	inside := fmt.Sprintf("interceptor %q", i.Name)
	return func(run *engine.Context, input []byte) ([]byte, error) {
		call := &OrchestrationCall{Input: input}
		called := false
		run.Intercept(inside)
		err := i.Orchestration(Context{run}, call, func(ctx Context) error {
			inner, own := inner, ctx.engine("next")
			i.proceed(run)
			if called {
				panic(&MisuseError{Call: inside, Problem: "next was called twice: call it once"})
			}
			called = true
			output, err := inner(own, input)
			call.Output = output
			// Not deferred, because a panic of the inner code is not this interceptor's.
			run.Intercept(inside)
			return err
		})
		i.proceed(run)
		if err == nil && !called {
			panic(withoutNext(i.Name))
		}
		if err != nil {
			return nil, recordable(err)
		}
		return call.Output, nil
	}
}

// proceed marks the end of the interceptor's own code. It panics if that code did something that an
// interceptor must not do.
func (i Interceptor) proceed(run *engine.Context) {
	barred, err := run.Proceed()
	if err != nil {
		panic(&MisuseError{Call: fmt.Sprintf("interceptor %q", i.Name), Problem: err.Error()})
	}
	if barred != nil {
		panic(&MisuseError{Call: barred.Inside, Problem: fmt.Sprintf(
			"it made a durable call, %s, which would be recorded in the history of every instance: make the call in the orchestration, or use an activity", barred.Call)})
	}
}
