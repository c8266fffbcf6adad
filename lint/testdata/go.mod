// The code that the linter is tested on, against the real package turnstile.
module example.com/shop

go 1.26

require (
	example.com/library v0.0.0
	github.com/turnstile-go/turnstile v0.0.0
)

replace (
	example.com/library => ./library
	github.com/turnstile-go/turnstile => ../..
)
