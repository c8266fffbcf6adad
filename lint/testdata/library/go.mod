module example.com/library

go 1.26

require github.com/turnstile-go/turnstile v0.0.0
