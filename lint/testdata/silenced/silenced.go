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

	_ = time.Now() //turnstile:allow clock // want `allow: why\? Write //turnstile:allow clock and the reason behind it`
	_ = time.Now() //turnstile:allow // want `allow: which check, and why\?` `clock: time.Now`
	_ = time.Now() //turnstile:allow time it is only shown // want `allow: there is no check "time"; there are clock, random, ` `clock: time.Now`
	_ = time.Now() //turnstile:allow env the wrong check // want `allow: this silences nothing: there is no finding of env here; remove it` `clock: time.Now`

	_ = len("x")   //turnstile:allow clock nothing here // want `allow: this silences nothing`
	_ = time.Now() // want `clock: time.Now`

	//turnstile:allow clock a line in between // want `allow: this silences nothing`

	_ = time.Now() // want `clock: time.Now`
	_ = stamp()    //turnstile:allow clock at the call
	_ = allowed()
}

func stamp() time.Time { return time.Now() } // want stamp:`clock`

func allowed() time.Time {
	//turnstile:allow clock for all who call it
	return time.Now()
}
