package main

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// oddKeys are all keys of 1 to 512 bytes of UTF-8: what separates names elsewhere, what looks
// like a flag, a path or a tag of Redis Cluster, and texts that are the same once normalised.
var oddKeys = []string{
	"a\x00b", "a\nb", "a\r\nb", "\t", " a", "a ", "a", "/", "//", ".", "..", "../x", "a/../b", "%2F", "%00", "a%",
	"--help", "--", "-", "-1", "{a}", "{}", "}{", "a:b", "meta", "state:1", "*", "**", "?", "[a]", "a,b", "\"q\"", "\\", "\x1b[2J",
	"\u00e9", "e\u0301", "\U0001f642", "\ufeff", "\ufffd", "\u202e", "null", "true", "1e5", "about", "x/about", "__proto__",
	strings.Repeat("k", 512), strings.Repeat("\u00e9", 256),
}

// TestOddKeys: every key comes back byte for byte from the topic, the store, a file of
// states and over HTTP, and a deletion is of that key alone.
func TestOddKeys(t *testing.T) {
	w := newWorld(t, "format: json")
	w.send(oddKeys, 2)
	p := w.serve(nil)
	want := slices.Sorted(slices.Values(oddKeys))
	keysOf := func(out string) (keys []string) {
		for line := range strings.Lines(out) {
			var l struct{ Key string }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			keys = append(keys, l.Key)
		}
		return slices.Compact(slices.Sorted(slices.Values(keys)))
	}
	listed := func(args ...string) []string {
		out, _ := w.must(append([]string{"state", "list", "--format", "json"}, args...)...)
		return keysOf(out)
	}
	w.eventually("all keys have a state", func() bool { return slices.Equal(listed(), want) })
	out, _ := w.must("tail", "--until-end")
	if got := keysOf(out); !slices.Equal(got, want) {
		t.Errorf("tail tells of %q, want %q", got, want)
	}
	said := map[string]string{} // what get says, by key
	for _, key := range oddKeys {
		w.eventually("both shards are applied", func() bool {
			code, out, _ := w.command("get", "--config", w.file, "--", key)
			said[key] = out
			return code == 0 && strings.Contains(out, `"t":2,`)
		})
		if got := keysOf(said[key]); !slices.Equal(got, []string{key}) {
			t.Errorf("get %q tells of %q", key, got)
		}
		for _, path := range []string{"/v1/models/" + url.PathEscape(key), "/v1/model?key=" + url.QueryEscape(key)} {
			if body, code := p.get(w, path); code != 200 && key != "." && key != ".." || code == 200 && strings.TrimSpace(string(body)) != strings.TrimSpace(said[key]) {
				t.Errorf("%s: %d %.100s", path, code, body)
			}
		}
	}
	file := w.exported()
	w.must("state", "import", "--in", file, "--set", "kafka.group=second")
	if got := listed("--set", "kafka.group=second"); !slices.Equal(got, want) {
		t.Errorf("after export and import there are %q, want %q", got, want)
	}
	w.must("verify")
	gone := oddKeys[:len(oddKeys)/2]
	if code, _, messages := w.command(append([]string{"state", "delete", "--yes", "--config", w.file, "--"}, gone...)...); code != 0 || !strings.Contains(messages, "are applied") {
		t.Errorf("delete: exit %d %s", code, messages)
	}
	for _, key := range oddKeys {
		code, out, _ := w.command("get", "--config", w.file, "--", key)
		if left := !slices.Contains(gone, key); (code == 0) != left || left && out != said[key] {
			t.Errorf("get %q after half of the keys are deleted: exit %d, %.100s", key, code, out)
		}
	}
	p.end()
}
