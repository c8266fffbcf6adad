package program

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"strings"
)

// NearLimits makes many texts and payloads of programs exactly as long as their limit, one byte
// longer, or one byte shorter: inputs of activities and of what they start, outputs, the texts of
// failures and of reasons.
func (ps Programs) NearLimits(payload, text int) {
	for i, p := range ps {
		var drawn strings.Builder
		for s := range statementsOf(p.Body) {
			fmt.Fprint(&drawn, s.Kind, s.N, s.Duration, s.Fails)
		}
		p.drawn = drawn.String()
		p.most, p.mostText = payload, text
		p.Fails = p.Fails || i > 1 // so that a parent receives the text of a failure
	}
}

// near returns the length that something has near a limit; 0 for its natural length. One in oneIn
// has each of the lengths.
func near(most, oneIn int, what ...any) int {
	if most == 0 {
		return 0
	}
	h := fnv.New32a()
	fmt.Fprint(h, what...)
	switch h.Sum32() / 7 % uint32(oneIn) {
	case 0:
		return most
	case 1:
		return most + 1
	case 2:
		return most - 1
	}
	return 0
}

// Padded pads JSON, a list or an object, to a length, unless it is longer.
func Padded(data []byte, length int) []byte {
	if len(data) >= length || data[0] != '[' && data[0] != '{' {
		return data
	}
	return append(append(data[:1:1], bytes.Repeat([]byte(" "), length-len(data))...), data[1:]...)
}

// text returns a text that may be near its limit.
func (p *Program) text(text string, what ...any) string {
	return text + strings.Repeat(".", max(near(p.mostText, 3, append(what, p.drawn)...)-len(text), 0))
}

// output returns the output of the program.
func (p *Program) output(out []Token) ([]byte, error) {
	data, err := EncodeTokens(out)
	if err != nil {
		return nil, err
	}
	return Padded(data, near(p.most, 3, p.Name, len(out), p.drawn)), nil
}

// input returns the input that a statement gives to an activity or to what it starts.
func (r *interpreter) input(s *Statement, data []byte, i int) []byte {
	return Padded(data, near(r.program.most, 8, s.Kind, s.ID, s.Duration, r.round, i, r.program.drawn))
}
