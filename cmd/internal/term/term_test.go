package term

import (
	"bytes"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

func TestPlainProgressIsALineEveryFewSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		b := Progress(&out, "rows sent", 200)
		for range 120 {
			<-time.After(100 * time.Millisecond)
			b.Add(1)
		}
		b.Printf("waiting for %s", "broker")
		b.Done()
		want := "rows sent: 50 of 200 (25%)\nrows sent: 100 of 200 (50%)\nwaiting for broker\n"
		if got := out.String(); got != want {
			t.Errorf("progress is\n%swant\n%s", got, want)
		}
	})
}

func TestPlainProgressWithoutTotal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		b := Progress(&out, "rows", -1)
		<-time.After(interval)
		b.Add(7)
		if got, want := out.String(), "rows: 7\n"; got != want {
			t.Errorf("progress is %q, want %q", got, want)
		}
	})
}

func TestFileIsNoTerminal(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if IsTerminal(f) || Color(f) {
		t.Error("a plain file is taken for a terminal")
	}
	if got, _ := Size(f); got != 80 {
		t.Errorf("width of a file is %d, want the fallback 80", got)
	}
}
