package console_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/aesgcm"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// A program without the key sees that there is something, by which codec it is
// sealed, and how large it is; one with the key sees it.
func TestWhatIsEncodedIsShownAsEncoded(t *testing.T) {
	t.Parallel()
	key, err := aesgcm.New("2030-05", bytes.Repeat([]byte{7}, aesgcm.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	set, err := codec.NewSet(key)
	if err != nil {
		t.Fatal(err)
	}
	env := turnstiletest.New(t, demo.App(0, nil), turnstiletest.WithCodecs(set))
	if _, err := turnstiletest.Start(env, demo.Greet, "Ada Lovelace", client.WithInstanceID("greeting")).Wait(); err != nil {
		t.Fatal(err)
	}
	q, err := memory.New(memory.Options{Name: "orchestrator", FIFO: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	for _, codecs := range []*codec.Set{nil, set} {
		c, err := client.New(client.Config{Store: env.Store(), Queue: q, Codecs: codecs})
		if err != nil {
			t.Fatal(err)
		}
		h, err := console.Handler(c)
		if err != nil {
			t.Fatal(err)
		}
		b := &bench{t: t, h: h}
		record, event := get[api.Instance](b, "instances/greeting"), get[api.Event](b, "instances/greeting/executions/1/events/2")
		text := b.do("GET", "api/v1/instances/greeting", nil).Body.String() + b.do("GET", "api/v1/instances/greeting/executions/1/events", nil).Body.String()
		opened := codecs != nil
		if strings.Contains(text, "Lovelace") != opened || (record.DecodeError == "") != opened || (record.Output == nil) == opened {
			t.Errorf("with the key %v: %s", opened, text)
		}
		if p := event.Payload; (p.Codec == "") != opened || (p.Value == nil) == opened || p.Bytes == 0 || !opened && (p.Raw != "" || p.Base64 != nil || p.Codec != "aesgcm:2030-05") {
			t.Errorf("with the key %v the event has %+v", opened, p)
		}
	}
}
