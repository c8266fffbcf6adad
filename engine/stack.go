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

// PlaceOf returns file:line of the innermost frame of the author's code in a
// stack, as runtime/debug.Stack or AuthorsStack gives it; "" if there is none.
func PlaceOf(stack string) string { return placeOf(stack) }

// placeOf returns file:line of the innermost frame of the author's code in a
// stack; "" if there is none. What the standard library does for it, time.Sleep
// for one, is not where to look.
func placeOf(stack string) string {
	_, frames := framesOf(AuthorsStack(stack))
	first := ""
	for _, f := range frames {
		if f.ours() {
			continue
		}
		place, _, _ := strings.Cut(strings.TrimSpace(f.place), " +0x")
		if !f.standard() {
			return place
		}
		if first == "" {
			first = place
		}
	}
	return first
}

// panicPlace returns file:line of the author's code that panicked first, of the
// panics that are under way in a stack; "" if there is none. Of one that
// AuthorsStack has cut, the last of several panics is gone.
func panicPlace(stack string) string {
	_, frames := framesOf(stack)
	for i := len(frames) - 1; i >= 0; i-- {
		if !strings.HasPrefix(frames[i].function, "panic(") {
			continue
		}
		for _, f := range frames[i+1:] {
			if !f.ours() && !f.standard() {
				place, _, _ := strings.Cut(strings.TrimSpace(f.place), " +0x")
				return place
			}
		}
	}
	return ""
}

// standard reports whether a function is one of the standard library, as far as
// its name tells: the path of a module begins with a domain.
func (f stackFrame) standard() bool {
	first, _, nested := strings.Cut(f.function, "/")
	if nested {
		return !strings.Contains(first, ".")
	}
	return !strings.HasPrefix(first, "main.")
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
