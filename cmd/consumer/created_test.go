package main

import (
	"strings"
	"testing"
)

// A run that makes its input topic says so, for a name that is misspelt would read nothing without
// a word; one that finds it does not.
func TestInputThatIsMade(t *testing.T) {
	w := newWorld(t, "")
	w.send([]string{"a"}, 3)
	const says = `msg="input topic created" topic=shardz partitions=4`
	for i, flags := range [][]string{nil, set("kafka.input=shardz"), set("kafka.input=shardz")} {
		code, _, messages := w.consumer(append([]string{"run", "--until-end"}, flags...)...)
		if code != 0 || strings.Contains(messages, says) != (i == 1) {
			t.Errorf("run %d: exit %d\n%s", i, code, messages)
		}
	}
}
