package rows

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/internal/clitest"
)

// A file that others make shorter while it is read is told, and one that they write on is
// read to its end: rows without a key count in neither pass.
func TestAFileThatChanges(t *testing.T) {
	const line, object = "a,1\n,2\nb,3\n", `{"g":"a","n":1}` + "\n" + `{"g":null,"n":2}` + "\n" + `{"g":"b","n":3}` + "\n"
	for name, text := range map[string][2]string{"in.csv": {"g,n\n", line}, "in.jsonl": {"", object}, "array.json": {"", "[" + strings.ReplaceAll(strings.TrimSpace(object), "\n", ",") + "]"}} {
		head, body := text[0], text[1]
		file := clitest.WriteFile(t, name, []byte(head+body))
		open := func() Source {
			t.Helper()
			src, err := Open(t.Context(), file, Selection{KeyColumn: "g"}, Watch{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = src.Close() })
			return src
		}
		write := func(text string) {
			t.Helper()
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(readAll(t, open())); n != 2 {
			t.Errorf("%s as it is: %d rows, want 2", name, n)
		}
		if strings.HasPrefix(body, "[") {
			continue // whose end is told by its brackets
		}
		first := open()
		write(head + body + body)
		longer, err := first.Again()
		if err != nil {
			t.Fatal(err)
		}
		if n := len(readAll(t, longer)); n != 4 {
			t.Errorf("%s, written on: %d rows, want 4", name, n)
		}
		whole := open()
		write(head + body)
		shorter, err := whole.Again()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for err == nil {
			if _, _, err = shorter.Next(); err == nil {
				n++
			}
		}
		if want := "ends after 2 rows and had 4"; n != 2 || !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, made shorter: %d rows and %v, want 2 and %q", name, n, err, want)
		}
	}
}
