package show

import (
	"bytes"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/connect/connecttest"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models"
)

func TestGet(t *testing.T) {
	l := connecttest.Lookup(t, map[int32][]string{1: {"a"}, 3: {"a"}})
	var out, messages bytes.Buffer
	a := &app.App{Names: cli.Apart(), Kinds: models.Kinds(), Out: &out, Err: &messages}
	for _, c := range []struct{ format, want string }{
		{"json", `{"key":"a","kind":"linear","variant":"corrected","t":1,"n":4,`},
		{"csv", "key,kind,variant,t,n,time,variable,mean,"},
		{"table", "key           a\nmodel         linear (corrected)"},
	} {
		out.Reset()
		messages.Reset()
		if err := getKey(t.Context(), a, l, "a", c.format); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), c.want) || !strings.Contains(out.String(), "beta[x]") {
			t.Errorf("%s: %s", c.format, out.String())
		}
		if !strings.Contains(messages.String(), "partitions 1 and 3") {
			t.Errorf("a key in two partitions is not told: %q", messages.String())
		}
	}
	for key, want := range map[string]string{"absent": "no model for key", "no rule": "no entry of models matches"} {
		if err := getKey(t.Context(), a, l, key, "json"); err == nil || !strings.Contains(err.Error(), want) || cli.ExitCode(err) != 1 {
			t.Errorf("key %q: %v", key, err)
		}
	}
}

// A key that is not there is answered with those that may have been meant.
func TestGetNamesKeysThatAreNear(t *testing.T) {
	l := connecttest.Lookup(t, map[int32][]string{0: {"aUSA"}, 1: {"aUSB"}, 2: {"another"}})
	a := &app.App{Names: cli.Apart(), Kinds: models.Kinds(), Out: new(bytes.Buffer), Err: new(bytes.Buffer)}
	for key, want := range map[string]string{
		"aUsa": `or it was deleted; did you mean "aUSA" or "aUSB"?`, "ano": `did you mean "another"?`, "absolutely": "or it was deleted",
	} {
		if err := getKey(t.Context(), a, l, key, "json"); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("key %q: %v", key, err)
		}
	}
}
