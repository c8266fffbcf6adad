package host

// knewMark stands in the token of a turn whose process knew that the instance
// was stuck.
const knewMark = "!"

// token returns the token of a turn, which says who wrote it and why:
//
//   - 32 random hexadecimal digits, new for each content: an append is the
//     writer's own only if it has the token and the same bytes;
//   - knewMark, if it applies;
//   - the mark of the cause, behind "-", if it is an item that leaves no fact
//     (cause.go).
func (t *turn) token() (string, error) {
	token, err := t.random.hex()
	if err != nil {
		return "", err
	}
	if t.record != nil && t.record.Problem != nil {
		token += knewMark
	}
	return token + t.cause, nil
}
