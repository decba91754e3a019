package manual

import (
	"fmt"
	"regexp"
	"strings"
)

// step is something that a page asks for.
type step struct {
	line int    // of the page, of what it begins with
	does string // "run", "file", "output", "terminal", "stop", "until", "fails", "elsewhere"
	what string // of the comment: file, command, exit code or test
	text string // of the block
}

var comment = regexp.MustCompile(`^\s*<!--\s*(file|output|terminal|stop|until|fails|elsewhere)(?::\s*(.*?))?\s*-->\s*$`)

// parse returns the steps of a page in order. A comment that no block follows
// where one must, and a block of commands that is not closed, are errors.
func parse(page string) ([]step, error) {
	var steps []step
	var pending *step // a comment that waits for its block
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		if m := comment.FindStringSubmatch(lines[i]); m != nil {
			if pending != nil {
				return nil, fmt.Errorf("line %d: no block follows this comment", pending.line)
			}
			s := step{line: i + 1, does: m[1], what: m[2]}
			if s.does == "until" || s.does == "stop" {
				steps = append(steps, s)
			} else {
				pending = &s
			}
			continue
		}
		fence := strings.TrimLeft(lines[i], " ")
		if !strings.HasPrefix(fence, "```") {
			if pending != nil && strings.TrimSpace(lines[i]) != "" {
				return nil, fmt.Errorf("line %d: no block follows this comment", pending.line)
			}
			continue
		}
		indent, start := len(lines[i])-len(fence), i
		var block strings.Builder
		for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
			block.WriteString(strings.TrimPrefix(lines[i], strings.Repeat(" ", indent)) + "\n")
		}
		if i == len(lines) {
			return nil, fmt.Errorf("line %d: the block is not closed", start+1)
		}
		kind, _, _ := strings.Cut(strings.TrimPrefix(fence, "```"), " ")
		switch {
		case pending != nil:
			pending.text = block.String()
			steps = append(steps, *pending)
			pending = nil
		case kind == "sh":
			steps = append(steps, step{line: start + 1, does: "run", text: block.String()})
		case kind == "" && strings.Contains(block.String(), "bin/consumer ") || kind == "bash" || kind == "shell" || kind == "console":
			return nil, fmt.Errorf("line %d: commands are in blocks marked sh", start+1)
		}
	}
	if pending != nil {
		return nil, fmt.Errorf("line %d: no block follows this comment", pending.line)
	}
	return steps, nil
}

// agrees reports whether an output is what a page shows: lines in their order,
// ... for any lines, … for any text within a line. White space at the ends of
// lines does not count, nor does how wide columns are.
func agrees(shown, printed string) bool {
	var pattern strings.Builder
	pattern.WriteString(`(?s)^\s*`)
	for _, line := range strings.Split(strings.TrimSpace(shown), "\n") {
		if strings.TrimSpace(line) == "..." {
			pattern.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		words := strings.Fields(line)
		for i, w := range words {
			if i > 0 {
				pattern.WriteString(`[ \t]+`)
			}
			pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(w), "…", `[^\n]*?`))
		}
		pattern.WriteString(`[ \t]*(?:\n\s*|$)`)
	}
	pattern.WriteString(`\s*$`)
	compacted := regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(printed, "")
	return regexp.MustCompile(pattern.String()).MatchString(compacted)
}
