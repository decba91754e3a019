package connect_test

import (
	"slices"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline/quota"
)

// TestLimitsOfPrefixes: a prefix with a limit is a part of what is recorded of a configuration,
// and one without is not.
func TestLimitsOfPrefixes(t *testing.T) {
	const models = "models: [{match: \"**\", kind: linear}]\n"
	config := func(text string) string {
		rules, err := connect.NewRules(configtest.Parse(t, models+text))
		if err != nil {
			t.Fatal(err)
		}
		return rules.Config()
	}
	c := configtest.Parse(t, models+"limits: {prefixes: [{prefix: acme/, keys: 7}, {prefix: new/, new_keys_per_minute: 3}, {prefix: large/, bytes_per_key: 2KiB, bytes: 1MiB}, {prefix: labs/}]}")
	if got, want := connect.LimitsOf(c).Prefixes, []quota.Limit{{Prefix: "acme/", Keys: 7}, {Prefix: "new/", PerMinute: 3}, {Prefix: "large/", KeyBytes: 2048, Bytes: 1 << 20}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	none, counted, limited := config(""), config("limits: {prefixes: [{prefix: labs/}]}"), config("limits: {prefixes: [{prefix: labs/, keys: 7}]}")
	if none != counted || none == limited {
		t.Errorf("configurations: %s without, %s counted, %s limited", none, counted, limited)
	}
}
