package config

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// hidden stands for a secret in what is printed.
const hidden = "***"

// String returns the effective configuration as a file that would give it,
// with secrets hidden.
func (c *Config) String() string {
	shown := *c
	shown.Redis.URL = hideSecrets(c.Redis.URL)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(&shown); err != nil {
		return "unprintable configuration: " + err.Error()
	}
	return b.String()
}

// hideSecrets takes passwords out of a URL, which may be too odd for net/url:
// several hosts, or a password with a slash in it.
func hideSecrets(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if ok {
		scheme += "://"
	} else {
		scheme, rest = "", url
	}
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		user, _, secret := strings.Cut(rest[:at], ":")
		if secret {
			user += ":" + hidden
		}
		rest = user + rest[at:]
	}
	path, query, ok := strings.Cut(rest, "?")
	if !ok {
		return scheme + rest
	}
	pairs := strings.Split(query, "&")
	for i, p := range pairs {
		name, _, _ := strings.Cut(p, "=")
		if low := strings.ToLower(name); strings.Contains(low, "pass") || strings.Contains(low, "secret") || strings.Contains(low, "token") {
			pairs[i] = name + "=" + hidden
		}
	}
	return scheme + path + "?" + strings.Join(pairs, "&")
}

// settingsNode gives a model's settings the form of a file, by way of the
// canonical form that the fingerprint is made of.
func settingsNode(settings any) (yamlNode, error) {
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil, nil
	}
	plainStyle(document.Content[0])
	return document.Content[0], nil
}

// plainStyle takes away the quotes and braces that JSON needs and YAML does
// not.
func plainStyle(n yamlNode) {
	if n.Kind != yaml.SequenceNode {
		n.Style = 0
	}
	for _, child := range n.Content {
		plainStyle(child)
	}
}
