// Package silenced has comments that silence findings, and some that don't.
package silenced

import (
	"os"
	"time"

	"github.com/turnstile-go/turnstile"
)

func comments(ctx turnstile.Context) {
	_ = time.Now() //turnstile:allow clock it is only shown
	//turnstile:allow clock it is only shown
	_ = time.Now()
	//turnstile:allow clock two may stand above each other
	//turnstile:allow env and each has its reason
	_, _ = time.Now(), os.Getenv("HOME")

	_ = time.Now() //turnstile:allow clock // want `allow: the reason is missing: write //turnstile:allow clock and the reason`
	_ = time.Now() //turnstile:allow // want `allow: the check and the reason are missing` `clock: time.Now`
	_ = time.Now() //turnstile:allow time it is only shown // want `allow: the check "time" does not exist: use one of clock, random, ` `clock: time.Now`
	_ = time.Now() //turnstile:allow env the wrong check // want `allow: the comment silences nothing, because env has no finding here: remove it` `clock: time.Now`

	_ = len("x")   //turnstile:allow clock nothing here // want `allow: the comment silences nothing`
	_ = time.Now() // want `clock: time.Now`

	//turnstile:allow clock a line in between // want `allow: the comment silences nothing`

	_ = time.Now() // want `clock: time.Now`
	_ = stamp()    //turnstile:allow clock at the call
	_ = allowed()
}

func stamp() time.Time { return time.Now() } // want stamp:`clock`

func allowed() time.Time {
	//turnstile:allow clock for all who call it
	return time.Now()
}
