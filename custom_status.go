package turnstile

// SetCustomStatus sets the instance's custom status, which describe and list show
// once the turn is committed; of several in one turn the last counts. It stays
// through continue-as-new. It records nothing: replay computes it again.
//
// Errors: [*EncodeError], [*PayloadTooLargeError].
func SetCustomStatus[T any](ctx Context, status T) error {
	data, err := encode(status, "custom status", "")
	if err != nil {
		return err
	}
	return ctx.engine("SetCustomStatus").SetCustomStatus(data)
}
