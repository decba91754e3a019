package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/credence-stream/credence/testenv/release/oci"
)

// recipe reads from the last stage of the Dockerfile what a container of the image runs, so
// that this is said in one place; args are the values of its arguments. An
// instruction that is not known is an error: it would be missing in the image.
func recipe(root string, args map[string]string) (c oci.Config, err error) {
	const name = "Dockerfile"
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return c, err
	}
	from := ""
	for _, line := range instructions(string(text)) {
		word, rest, _ := strings.Cut(line, " ")
		if rest = strings.TrimSpace(rest); word == "FROM" {
			from, c = rest, oci.Config{}
			continue
		}
		if from != "scratch" {
			continue
		}
		if err := instruct(&c, word, rest, args); err != nil {
			return c, fmt.Errorf("%s: %s %s: %w", name, word, rest, err)
		}
	}
	if from != "scratch" {
		return c, fmt.Errorf("%s: its last stage is from %q, not from scratch: what is in that image would be missing", name, from)
	}
	return c, nil
}

// instructions are the lines of a Dockerfile without comments, continued ones as one.
func instructions(text string) (all []string) {
	var begun string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if head, more := strings.CutSuffix(line, `\`); more {
			begun += head + " "
			continue
		}
		all = append(all, begun+line)
		begun = ""
	}
	return all
}

// instruct carries out one instruction.
func instruct(c *oci.Config, word, rest string, args map[string]string) error {
	switch word {
	case "ARG":
	case "COPY":
		if rest != "--from=build /out/ /" {
			return fmt.Errorf("the image is what is in /out of the stage build, and nothing else")
		}
	case "LABEL":
		all, err := pairs(rest)
		if c.Labels == nil {
			c.Labels = map[string]string{}
		}
		for _, pair := range all {
			key, value, _ := strings.Cut(pair, "=")
			if name, ok := strings.CutPrefix(value, "$"); ok {
				value = args[name]
			}
			c.Labels[key] = value
		}
		return err
	case "ENV":
		all, err := pairs(rest)
		c.Env = append(c.Env, all...)
		return err
	case "USER":
		c.User = rest
	case "EXPOSE":
		if c.Ports == nil {
			c.Ports = map[string]struct{}{}
		}
		for _, port := range strings.Fields(rest) {
			if !strings.Contains(port, "/") {
				port += "/tcp"
			}
			c.Ports[port] = struct{}{}
		}
	case "ENTRYPOINT":
		return json.Unmarshal([]byte(rest), &c.Entrypoint)
	case "CMD":
		return json.Unmarshal([]byte(rest), &c.Cmd)
	case "HEALTHCHECK":
		var err error
		c.Healthcheck, err = healthcheck(rest)
		return err
	default:
		return fmt.Errorf("testenv/release does not know this instruction")
	}
	return nil
}

// pairs are the words KEY=value of an instruction; values in quotes, and the form without
// an equals sign, are refused.
func pairs(rest string) ([]string, error) {
	all := strings.Fields(rest)
	for _, pair := range all {
		if !strings.Contains(pair, "=") || strings.ContainsAny(pair, "\"'") {
			return nil, fmt.Errorf("testenv/release reads KEY=value without quotes, and not %s", pair)
		}
	}
	return all, nil
}

var healthFlag = regexp.MustCompile(`^--([a-z-]+)=(\S+)\s+`)

// healthcheck reads the flags of HEALTHCHECK and its command.
func healthcheck(rest string) (*oci.Healthcheck, error) {
	h := new(oci.Healthcheck)
	for m := healthFlag.FindStringSubmatch(rest); m != nil; m = healthFlag.FindStringSubmatch(rest) {
		rest = rest[len(m[0]):]
		var err error
		switch m[1] {
		case "interval":
			h.Interval, err = time.ParseDuration(m[2])
		case "timeout":
			h.Timeout, err = time.ParseDuration(m[2])
		case "start-period":
			h.StartPeriod, err = time.ParseDuration(m[2])
		case "retries":
			h.Retries, err = strconv.Atoi(m[2])
		default:
			err = fmt.Errorf("testenv/release does not know --%s", m[1])
		}
		if err != nil {
			return nil, err
		}
	}
	command, ok := strings.CutPrefix(rest, "CMD ")
	if !ok {
		return nil, fmt.Errorf("no CMD in %q", rest)
	}
	err := json.Unmarshal([]byte(command), &h.Test)
	h.Test = append([]string{"CMD"}, h.Test...)
	return h, err
}
