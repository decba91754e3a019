package main

import (
	"slices"
	"strings"
	"testing"
)

// TestChanges looks at what operators make of a small function.
func TestChanges(t *testing.T) {
	const source = `package p

func f(a, b int) bool {
	for i := 0; i < a; i++ {
		if !odd(i) && b > -1 {
			break
		}
		b += i
		log(i)
	}
	scale = .5
	return true
}
`
	all, err := changes("p/f.go", source, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		old, changed := strings.Split(m.old, "\n"), strings.Split(m.new, "\n")
		for i := range old {
			if old[i] != changed[i] {
				got = append(got, strings.TrimSpace(changed[i]))
			}
		}
	}
	want := []string{
		"for i := 0; i <= a; i++ {", "for i := 0; i >= a; i++ {", "for i := 0; i < a; i-- {",
		"if !odd(i) || b > -1 {", "if odd(i) && b > -1 {", "if !odd(i) && b >= -1 {", "if !odd(i) && b <= -1 {", "if !odd(i) && b > 1 {",
		"continue", "b -= i", "", "scale = (1.5 * .5)", "return false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
