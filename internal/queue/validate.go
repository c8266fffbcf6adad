package queue

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// stringType is the data type of attributes; its name counts towards the size of a message.
const stringType = "String"

// Size returns the bytes of the message that count against MaxBody: the body, and the name, type and
// value of each attribute.
func (o Outgoing) Size() int {
	n := len(o.Body)
	for name, value := range o.Attributes {
		n += len(name) + len(stringType) + len(value)
	}
	return n
}

// Validate returns an *InvalidMessageError, with Index 0, if SQS would not accept the message on a FIFO
// or a standard queue; nil otherwise. Every implementation refuses the same messages, so what works in
// memory works on AWS.
func (o Outgoing) Validate(fifo bool) error {
	if field, problem := o.problem(fifo); problem != "" {
		return &InvalidMessageError{Field: field, Problem: problem}
	}
	return nil
}

// ValidateAll validates every message of a Send before any of them is sent.
func ValidateAll(fifo bool, msgs []Outgoing) error {
	for i, m := range msgs {
		if field, problem := m.problem(fifo); problem != "" {
			return &InvalidMessageError{Index: i, Field: field, Problem: problem}
		}
	}
	return nil
}

func (o Outgoing) problem(fifo bool) (field, problem string) {
	switch {
	case o.Delay < 0 || o.Delay > MaxDelay:
		return "delay", fmt.Sprintf("%s is not from 0 to %d seconds: use a timer, or several hops", o.Delay, MaxDelay/time.Second)
	case o.Delay > 0 && fifo:
		return "delay", fmt.Sprintf("%s on a FIFO queue, which cannot delay a single message: send it through a standard queue", o.Delay)
	case o.Body == "":
		return "body", "it is empty"
	case o.Size() > MaxBody:
		return "body", fmt.Sprintf("it has %d bytes with its attributes; the limit is %d: pass a reference instead of the value", o.Size(), MaxBody)
	}
	if i := unsendable(o.Body); i >= 0 {
		return "body", fmt.Sprintf("byte %d starts a character that SQS does not carry (a control character, U+FFFE, U+FFFF or invalid UTF-8): escape it", i)
	}
	if p := o.attributesProblem(); p != "" {
		return "attributes", p
	}
	if p := idProblem(o.Group); p != "" {
		return "group", p
	}
	if !fifo {
		return "", ""
	}
	if o.Group == "" {
		return "group", "it is empty; a FIFO queue needs one"
	}
	if p := idProblem(o.DedupID); p != "" {
		return "deduplication id", p
	}
	return "", ""
}

// idProblem: groups and deduplication ids are ASCII letters, digits and
// punctuation.
func idProblem(id string) string {
	if len(id) > MaxGroup {
		return fmt.Sprintf("%q has %d characters; the limit is %d: use its hash", id, len(id), MaxGroup)
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return fmt.Sprintf("%q has a character other than ASCII letters, digits and punctuation at %d: use its hash", id, i)
		}
	}
	return ""
}

func (o Outgoing) attributesProblem() string {
	if len(o.Attributes) > MaxAttributes {
		return fmt.Sprintf("there are %d; the limit is %d", len(o.Attributes), MaxAttributes)
	}
	for name, value := range o.Attributes {
		if p := attributeNameProblem(name); p != "" {
			return fmt.Sprintf("name %q %s", name, p)
		}
		if value == "" {
			return fmt.Sprintf("%q is empty: leave it out", name)
		}
		if unsendable(value) >= 0 {
			return fmt.Sprintf("%q has a character that SQS does not carry: clean it with queue.Printable", name)
		}
	}
	return ""
}

func attributeNameProblem(name string) string {
	if name == "" || len(name) > 256 {
		return "must have 1 to 256 characters"
	}
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '_' && c != '-' && c != '.' {
			return "may have letters, digits, '_', '-' and '.' only"
		}
	}
	lower := strings.ToLower(name)
	if strings.HasPrefix(lower, "aws.") || strings.HasPrefix(lower, "amazon.") {
		return "may not start with AWS. or Amazon."
	}
	if name[0] == '.' || name[len(name)-1] == '.' || strings.Contains(name, "..") {
		return "may not start or end with a period, nor have two in a row"
	}
	return ""
}

const ones = 0x0101010101010101

// unsendable returns the position of the first character that SQS refuses, -1 if there is none. SQS
// accepts the characters of XML 1.0.
func unsendable(s string) int {
	plain := 0 // printable ASCII, which most bodies are to their end
	for ; plain+8 <= len(s); plain += 8 {
		// Eight bytes at once: does none have its highest bit set, is none below ' ', and is none 0x7f?
		w := uint64(s[plain]) | uint64(s[plain+1])<<8 | uint64(s[plain+2])<<16 | uint64(s[plain+3])<<24 |
			uint64(s[plain+4])<<32 | uint64(s[plain+5])<<40 | uint64(s[plain+6])<<48 | uint64(s[plain+7])<<56
		if (w|(w-ones*' ')|(w+ones))&(ones<<7) != 0 {
			break
		}
	}
	for plain < len(s) && ' ' <= s[plain] && s[plain] <= '~' {
		plain++
	}
	for i, r := range s[plain:] {
		i += plain
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
		if !sendable(r) {
			return i
		}
	}
	return -1
}

func sendable(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r != 0xFFFE && r != 0xFFFF
}

// Printable returns s with invalid UTF-8 and each character that SQS does not accept replaced by
// U+FFFD. It is for attributes with foreign text, such as the reason of a dead letter.
func Printable(s string) string {
	if unsendable(s) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if sendable(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}
