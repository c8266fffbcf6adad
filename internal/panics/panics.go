// Package panics shows a panic to the author of the code: its text, and the part of its stack trace
// that is useful to the author.
package panics

import (
	"runtime"
	"strings"
)

// Stack reduces a stack trace, as returned by runtime/debug.Stack, to the part
// that is useful to the author: from the panic to the function that Turnstile called. It
// returns a trace without the author's code unchanged.
func Stack(stack string) string {
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
	// A panic that Turnstile raises is about the call that the author made. A panic of
	// the runtime in Turnstile's code is a bug in Turnstile, so show its place.
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

// Place returns file:line of the innermost frame of the author's code in a stack trace, as
// returned by runtime/debug.Stack or Stack; "" if there is none. It skips the standard
// library, such as time.Sleep, because the caller is more useful.
func Place(stack string) string {
	_, frames := framesOf(Stack(stack))
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

// First returns file:line of the author's code that panicked first, if several
// panics are in progress in a stack trace; "" if there is none. Stack removes the
// last of several panics from a trace.
func First(stack string) string {
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

// standard reports whether a function belongs to the standard library, judging by its
// name: a module path starts with a domain.
func (f stackFrame) standard() bool {
	first, _, nested := strings.Cut(f.function, "/")
	if nested {
		return !strings.Contains(first, ".")
	}
	return !strings.HasPrefix(first, "main.")
}

// stackFrame holds the two lines of a frame: the call, and after a tab its place.
type stackFrame struct{ function, place string }

func framesOf(stack string) (head string, frames []stackFrame) {
	head, rest, _ := strings.Cut(stack, "\n")
	for rest != "" {
		var f stackFrame
		f.function, rest, _ = strings.Cut(rest, "\n")
		if !strings.HasPrefix(rest, "\t") {
			// The next goroutine, or omitted frames.
			break
		}
		f.place, rest, _ = strings.Cut(rest, "\n")
		frames = append(frames, f)
	}
	return head, frames
}

func (f stackFrame) ours() bool {
	file, _, _ := strings.Cut(f.place, ":")
	return strings.HasPrefix(f.function, "created by ") || Ours(f.function, file)
}

// Ours reports whether a function belongs to Turnstile or to the runtime, and not to the
// author's code.
func Ours(function, file string) bool {
	const module = "github.com/turnstile-go/turnstile"
	if strings.HasSuffix(file, "_test.go") {
		return false
	}
	for _, prefix := range []string{module + "/engine.", module + "/host.", module + ".", "runtime.", "runtime/debug.", "iter."} {
		if strings.HasPrefix(function, prefix) {
			return true
		}
	}
	return false
}

// Plain returns the text of a panic's value, and whether the text cannot quote a
// payload. That is true for errors of the Go runtime and for values that have a method
// Plain.
func Plain(v any) (text string, ok bool) {
	switch v := v.(type) {
	case runtime.Error:
		return v.Error(), true
	case interface{ Plain() string }:
		return v.Plain(), true
	}
	return "", false
}
