package turnstile

// SetStatus sets the instance's custom status, which describe and list show
// once the turn is committed; of several in one turn the last. It stays
// through continue-as-new. It records nothing: replay computes it again.
//
// Errors: *EncodeError, *PayloadTooLargeError.
func SetStatus[T any](ctx Context, status T) error {
	data, err := encode(status, "custom status", "")
	if err != nil {
		return err
	}
	return ctx.engine("SetStatus").SetCustomStatus(data)
}
