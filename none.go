package turnstile

// None is the input or the result of an activity, an orchestration or an event that
// has none. As JSON it is {}.
//
//	var Refund = turnstile.NewActivity[Receipt, turnstile.None]("Refund")
//
//	func refund(ctx context.Context, r Receipt) (turnstile.None, error) {
//		return turnstile.None{}, bank.Refund(ctx, r.ID)
//	}
type None = struct{}
