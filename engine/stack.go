package engine

import "strings"

// AuthorsStack returns what of a stack, as runtime/debug.Stack gives it, is of
// use to the author: from the place of the panic to the function that we
// called. A stack without any of the author's code stays as it is.
func AuthorsStack(stack string) string {
	head, frames := framesOf(stack)
	from, to := 0, len(frames)
	for i, f := range frames {
		if strings.HasPrefix(f.function, "panic(") {
			from = i + 1
			break
		}
	}
	explicit := from == len(frames) || !strings.HasPrefix(frames[from].function, "runtime.")
	for from < to && strings.HasPrefix(frames[from].function, "runtime") {
		from++
	}
	// A panic that we raise tells of the call that the author made. One of the
	// runtime in our code is our mistake, and shows where.
	for explicit && from < to && frames[from].ours() {
		from++
	}
	for to > from && frames[to-1].ours() {
		to--
	}
	if from == to {
		return stack
	}
	var b strings.Builder
	b.WriteString(head)
	for _, f := range frames[from:to] {
		b.WriteString("\n" + f.function + "\n" + f.place)
	}
	return b.String()
}

// placeOf returns file:line of the innermost frame of the author's code in a
// stack; "" if there is none.
func placeOf(stack string) string {
	_, frames := framesOf(AuthorsStack(stack))
	for _, f := range frames {
		if !f.ours() {
			place, _, _ := strings.Cut(strings.TrimSpace(f.place), " +0x")
			return place
		}
	}
	return ""
}

// stackFrame is two lines of a stack: the call, and behind a tab its place.
type stackFrame struct{ function, place string }

func framesOf(stack string) (head string, frames []stackFrame) {
	head, rest, _ := strings.Cut(stack, "\n")
	for rest != "" {
		var f stackFrame
		f.function, rest, _ = strings.Cut(rest, "\n")
		if !strings.HasPrefix(rest, "\t") {
			// The next goroutine, or an omission.
			break
		}
		f.place, rest, _ = strings.Cut(rest, "\n")
		frames = append(frames, f)
	}
	return head, frames
}

func (f stackFrame) ours() bool {
	file, _, _ := strings.Cut(f.place, ":")
	return strings.HasPrefix(f.function, "created by ") || ours(f.function, file)
}
