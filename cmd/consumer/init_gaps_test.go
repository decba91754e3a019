package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A file as people keep it goes through init to a posterior of all its rows: gaps in
// a categorical column, money, dates, yes and no.
func TestMessyFileKeepsItsRows(t *testing.T) {
	file := table(t, "messy.csv", "shop;sold on;price;sex;promo;revenue\n", func(i int) string {
		return fmt.Sprintf("s%d;%d/03/2026;$%d,050.10;%s;%s;%.2f\n", i%2, 1+i%28, 1+i%7, []string{"f", "m", "NA", ""}[i%4], []string{"Yes", "no"}[i/4%2], 50+noise(i))
	})
	w := newWorld(t, "")
	w.file = filepath.Join(t.TempDir(), "draft.yaml")
	code, _, messages := command(t, "init", "--input", file, "--out", w.file, "--response", "revenue", "--key-column", "shop",
		"--brokers", w.env.Brokers()[0], "--set", "redis.url="+w.env.RedisURL(), "--set", "http.listen=")
	if code != 0 {
		t.Fatalf("init: exit %d: %s", code, messages)
	}
	w.sendFile(file, []string{"--key-column", "shop"})
	if code, _, messages := w.consumer("run", "--until-end"); code != 0 {
		t.Fatalf("run: exit %d: %s", code, messages)
	}
	code, out, _ := w.consumer("get", "s0", "--format", "json")
	for _, want := range []string{`"n":120,`, `"beta[sex=__missing__]"`, `"beta[price]"`, `"beta[promo]"`} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %s in %s", code, want, out)
		}
	}
}
