package config

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	pathAhead = regexp.MustCompile(`^[a-z_]+(\[\d+\])?(\.[a-z_]+(\[\d+\])?)*`)
	oneStep   = regexp.MustCompile(`[a-z_]+|\[\d+\]`)
)

// placed puts before a problem, whose text begins with the path of a key, where that is: a
// line of the file or a variable. Of a path that is not there it is the last part that is,
// and where none is, or a flag has it, the problem stays as it is.
func (d *decoder) placed(root yamlNode, problem error) error {
	at, place := root, yamlNode(nil)
	for _, step := range oneStep.FindAllString(pathAhead.FindString(problem.Error()), -1) {
		key, value := child(at, step)
		if value == nil {
			break
		}
		at, place = resolveAlias(value), value
		if _, override := d.origin[value]; !override && len(at.Content) > 0 {
			place = key // what is below may begin lines later
		}
	}
	if place == nil || strings.HasPrefix(d.origin[place], "--") {
		return problem
	}
	return fmt.Errorf("%s: %w", d.where(place), problem)
}

// child returns what a mapping has at a key, with the key, or a list at "[i]"; nil: nothing.
func child(at yamlNode, step string) (key, value yamlNode) {
	if index, ok := strings.CutPrefix(step, "["); ok {
		i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
		if err != nil || at.Kind != yaml.SequenceNode || i >= len(at.Content) {
			return nil, nil
		}
		return at.Content[i], at.Content[i]
	}
	if at.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(at.Content); i += 2 {
		if at.Content[i].Value == step {
			return at.Content[i], at.Content[i+1]
		}
	}
	return nil, nil
}

// remedies say what to do where the reader of YAML gives up, by what it says.
var remedies = []struct{ says, remedy string }{
	{"found a tab", "indent with blanks, for YAML takes no tabs there"},
	{"found character that cannot start any token", "a text that begins with @, `, % or a tab wants quotes"},
	{"did not find expected alphabetic or numeric character", `a text that begins with * or & wants quotes, as in match: "**"`},
	{"unknown anchor", `a text that begins with * wants quotes, as in match: "*"`},
	{"mapping values are not allowed", "keys of a section begin in the same column, and a text with a colon and a blank wants quotes"},
	{"could not find expected ':'", "a colon and a blank are behind a key"},
	{"did not find expected key", "keys of a section begin in the same column, and each entry of a list with - and a blank"},
	{"did not find expected '-' indicator", "each entry of a list begins with - and a blank, in the same column"},
	{"did not find expected", "a bracket, brace or quote is not closed"},
	{"found unexpected end of stream", "a bracket, brace or quote is not closed"},
	{"control characters are not allowed", "the file has bytes that are no text"},
	{"UTF-8", "the file is not UTF-8; iconv converts it"},
}

var yamlError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(?s:(.*))$`)

// malformed is the error of a text that is no YAML, with the line near which that was seen and
// a remedy.
func malformed(file string, text []byte, err error) error {
	m := yamlError.FindStringSubmatch(err.Error())
	if m == nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	line, says := m[1], m[2]
	for _, r := range remedies {
		if !strings.Contains(says, r.says) {
			continue
		}
		if tab := tabbed(text); r.says == "found a tab" && tab > 0 {
			return fmt.Errorf("%s:%d: a tab before a key: %s", file, tab, r.remedy)
		}
		says += "; " + r.remedy
		break
	}
	if line == "" {
		return fmt.Errorf("%s: no YAML: %w", file, errors.New(says))
	}
	return fmt.Errorf("%s: no YAML, near line %s: %w", file, line, errors.New(says))
}

// tabbed is the first line that is indented with a tab, 0 where none is.
func tabbed(text []byte) int {
	for i, line := range strings.Split(string(text), "\n") {
		if indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]; strings.Contains(indent, "\t") {
			return i + 1
		}
	}
	return 0
}

// elsewhere are keys as other programs call them, by the section, with what has their place here.
var elsewhere = map[string]map[string]string{
	"kafka": {
		"bootstrap.servers": "brokers", "bootstrap_servers": "brokers", "servers": "brokers", "hosts": "brokers",
		"group.id": "group", "group_id": "group", "consumer_group": "group",
		"topic": "input", "topics": "input", "input_topic": "input", "output_topic": "output",
		"security.protocol": "tls and sasl", "security_protocol": "tls and sasl", "sasl.mechanism": "sasl", "ssl": "tls",
		"auto.offset.reset": "run --from, for a new group begins with the topic", "auto_offset_reset": "run --from, for a new group begins with the topic",
		"value.format": "input.format, and format of what is published",
	},
	"redis": {
		"host": "url, as redis://HOST:6379/0", "port": "url, as redis://HOST:6379/0", "addr": "url, as redis://HOST:6379/0", "address": "url, as redis://HOST:6379/0",
		"db": "url, as redis://HOST:6379/0", "database": "url, as redis://HOST:6379/0", "password": "password_file", "ssl": "tls, and url as rediss://HOST:6379/0",
	},
	"http":    {"port": "listen, as 127.0.0.1:8080", "host": "listen, as 127.0.0.1:8080", "address": "listen, as 127.0.0.1:8080", "token": "token_file"},
	"models":  {"name": "match", "key": "match", "type": "kind", "model": "kind"},
	"columns": {"target": "response", "label": "response", "y": "response", "outcome": "response", "predictors": "features", "x": "features", "inputs": "features"},
}

// calledHere ends the message about an unknown key that other programs have, "" for others.
func calledHere(path, key string) string {
	section := path[strings.LastIndex(path, ".")+1:]
	section, _, _ = strings.Cut(section, "[")
	if ours := elsewhere[section][key]; ours != "" {
		return ": here it is " + ours
	}
	return ""
}
