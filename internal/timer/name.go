package timer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
)

const (
	// MaxName is the length of a schedule's name.
	MaxName = 64
	// hashLen is the length of the hash in a name: 160 bits in hexadecimal.
	hashLen = 40
)

// Name derives the name of an event's schedule. It is the same for the same event and round,
// so that creating the schedule twice is harmless, and different for every other event or
// round. atMS is when the event was recorded, in Unix milliseconds. With it, the schedule of
// an event that a restore of the tables lost does not conflict with the schedule of the event
// that has its id now. An event has several rounds if more than one schedule is created for
// it. The name has at most MaxName characters. It begins with a readable part, cut if it is
// too long: the instance, without characters that a name cannot have, the execution and the
// event. The hash after it makes it unique.
func Name(instance string, executionID, eventID, atMS int64, round ...int64) string {
	h := sha256.New()
	var n [8]byte
	for _, v := range []int64{executionID, eventID, atMS} {
		binary.BigEndian.PutUint64(n[:], uint64(v))
		h.Write(n[:])
	}
	h.Write([]byte(instance))
	for _, v := range round {
		// No id has this byte, because ids are UTF-8.
		h.Write([]byte{0xff})
		binary.BigEndian.PutUint64(n[:], uint64(v))
		h.Write(n[:])
	}
	hash := hex.EncodeToString(h.Sum(nil))[:hashLen]

	place := "." + strconv.FormatInt(executionID, 10) + "." + strconv.FormatInt(eventID, 10)
	room := MaxName - hashLen - len(".") - len(place)
	if room < 0 {
		return hash
	}
	readable := strings.Map(func(r rune) rune {
		if nameRune(r) {
			return r
		}
		return '_'
	}, instance)
	return readable[:min(room, len(readable))] + place + "." + hash
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.'
}
