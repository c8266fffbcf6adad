package turnstile

// None is the type for an activity, an orchestration or an event without input, result or data. Its
// JSON form is {}.
//
//	var Refund = turnstile.NewActivity[Receipt, turnstile.None]("Refund")
//
//	func refund(ctx context.Context, r Receipt) (turnstile.None, error) {
//		return turnstile.None{}, bank.Refund(ctx, r.ID)
//	}
type None = struct{}
