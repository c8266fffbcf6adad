package program

import (
	"strconv"
)

// Work is the input of an activity.
type Work struct {
	ID    int `json:"hidden"`
	Round int `json:"round"`
	I     int `json:"i"`
	Fails int `json:"fails,omitempty"`
	// Do is how it works, Most how many attempts it has. Refused is set if it is pending and the
	// client makes it fail.
	Do      doing `json:"do,omitempty"`
	Most    int   `json:"most,omitempty"`
	Refused bool  `json:"refused,omitempty"`
	// Version of the program that requests it.
	Version string `json:"version,omitempty"`
	// Drawn is a random value that its program has drawn for it.
	Drawn string `json:"drawn,omitempty"`
}

// Result returns what the activity returns for it.
func (w Work) Result() string {
	return "r" + strconv.Itoa(w.Round) + "." + strconv.Itoa(w.ID) + "." + strconv.Itoa(w.I)
}
