package orchestrations

import "github.com/turnstile-go/turnstile"

func goesOn(ctx turnstile.Context, n string) (string, error) {
	switch n {
	case "statement":
		remind.ContinueAsNew(ctx, n) // want `dropped: the error of turnstile.Orchestration.ContinueAsNew is dropped, so this execution continues, and is stuck when it completes; return it from the orchestration`
	case "blank":
		_ = remind.ContinueAsNew(ctx, n) // want `dropped: the error of turnstile.Orchestration.ContinueAsNew`
	case "two":
		_, _ = n, (remind.With(turnstile.Version("2")).ContinueAsNew(ctx, n)) // want `dropped: the error of turnstile.Orchestration.ContinueAsNew`
	case "deferred":
		defer remind.ContinueAsNew(ctx, n) // want `dropped: the error of turnstile.Orchestration.ContinueAsNew`
	case "kept":
		err := remind.ContinueAsNew(ctx, n)
		return "", err
	case "handed on":
		return "", wrap(remind.ContinueAsNew(ctx, n))
	}
	return "", remind.ContinueAsNew(ctx, n)
}

func wrap(err error) error { return err }
