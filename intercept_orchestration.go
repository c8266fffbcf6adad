package turnstile

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// interceptedCode returns the code of an orchestration with the interceptors
// around it; code itself where there are none.
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
				panic(&MisuseError{Call: inside, Problem: "it called next a second time: call next once"})
			}
			called = true
			output, err := inner(own, input)
			call.Output = output
			// Not deferred: a panic that comes from within is none of this interceptor's.
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

// proceed ends the interceptor's own code, and panics with what it must not have
// done there.
func (i Interceptor) proceed(run *engine.Context) {
	barred, err := run.Proceed()
	if err != nil {
		panic(&MisuseError{Call: fmt.Sprintf("interceptor %q", i.Name), Problem: err.Error()})
	}
	if barred != nil {
		panic(&MisuseError{Call: barred.Inside, Problem: fmt.Sprintf(
			"it made a durable call, %s, which would stand in the history of every instance: do it in the orchestration, or in an activity", barred.Call)})
	}
}
