package workloads

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile"
)

// HelloSequence5 says hello to five cities, one after the other.
var (
	HelloSequence5 = turnstile.NewOrchestration[struct{}, []string]("HelloSequence5")
	SayHello       = turnstile.NewActivity[string, string]("SayHello")
)

func helloSequence5(ctx turnstile.Context, _ struct{}) ([]string, error) {
	var greetings []string
	for _, city := range []string{"Tokyo", "Seattle", "London", "Amsterdam", "Mumbai"} {
		greeting, err := SayHello.Call(ctx, city)
		if err != nil {
			return nil, err
		}
		greetings = append(greetings, greeting)
	}
	return greetings, nil
}

func sayHello(_ context.Context, name string) (string, error) {
	return fmt.Sprintf("Hello %s!", name), nil
}
