package settings_test

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/settings"
)

func TestASettingThatIsNotSafeIsAnInvalidArgument(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		set  host.Settings
		want string // nothing: safe
	}{
		{name: "the defaults", set: host.Settings{}},
		{name: "one", set: host.Settings{Purge: host.PurgeSettings{Retention: 59 * time.Minute}},
			want: "WithSettings: the setting Purge.Retention is 59m0s, at least Settings.Purge.Grace (1h0m0s) is safe; 0 keeps instances for ever"},
		{name: "two", set: host.Settings{Cache: host.CacheSettings{Age: time.Hour}, Purge: host.PurgeSettings{Executions: 1}},
			want: "WithSettings: the setting Cache.Age is 1h0m0s, at most 10m0s is safe\n" +
				"WithSettings: the setting Purge.Executions is 1, at least 2 is safe: the current execution and the one before it; 0 keeps all"},
	} {
		before := tt.set
		err := settings.Check("WithSettings", tt.set)
		if tt.set != before {
			t.Errorf("%s: the settings became %+v", tt.name, tt.set)
		}
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if wrong, is := errors.AsType[*turnstile.InvalidArgumentError](err); !is || wrong.Call != "WithSettings" || err.Error() != tt.want {
			t.Errorf("%s: the error is %v\nwant %s", tt.name, err, tt.want)
		}
	}
}
