package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// answeredCode is a code of an error where sink/web makes one.
	answeredCode = regexp.MustCompile(`(?:\b(?:refuse|later|writeError|wrong)\((?:[^"\n]*, )?|"code":)"([a-z]+(?:_[a-z]+)*)"[,)}]`)
	// codeRow is a row of the table of http.md, from its status on.
	codeRow = regexp.MustCompile(`(?m)^\| \d{3} \|([^|]*)\|`)
)

// TestEveryErrorCodeIsDocumented compares the codes that HTTP answers with and those that
// http.md has.
func TestEveryErrorCodeIsDocumented(t *testing.T) {
	files, err := filepath.Glob("../sink/web/*.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files of sink/web: %v", len(files), err)
	}
	answered := map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range answeredCode.FindAllSubmatch(text, -1) {
			answered[string(m[1])] = file
		}
	}
	listed := map[string]bool{}
	for _, row := range codeRow.FindAllStringSubmatch(read(t, "http.md"), -1) {
		for _, m := range quoted.FindAllStringSubmatch(row[1], -1) {
			listed[m[1]] = true
		}
	}
	if len(answered) < 25 || len(listed) < 25 {
		t.Fatalf("found only %d codes in the source and %d on the page", len(answered), len(listed))
	}
	for code, file := range answered {
		if !listed[code] {
			t.Errorf("http.md lacks the code %s of %s", code, file)
		}
	}
	for code := range listed {
		if answered[code] == "" {
			t.Errorf("http.md has the code %s, with which nothing answers", code)
		}
	}
}
