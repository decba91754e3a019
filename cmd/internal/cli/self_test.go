package cli

import (
	"path/filepath"
	"testing"
)

func TestCommandIsHowTheProgramWasStarted(t *testing.T) {
	for self, want := range map[string]string{
		"consumer":                  "producer",
		"bin/consumer":              "bin/producer",
		"./producer":                "./producer",
		"bin/credence":              "bin/producer",
		"/opt/my tools/consumer":    "'/opt/my tools/producer'",
		"/tmp/x/consumer.test":      "producer",
		"/tmp/go-build/exe/program": "producer",
	} {
		if got := commandOf(filepath.FromSlash(self), "producer"); got != want {
			t.Errorf("%s: %s, want %s", self, got, want)
		}
	}
	if got := commandOf("bin/consumer.exe", "consumer"); got != "bin/consumer.exe" {
		t.Errorf("%s", got)
	}
}

func TestOneFileWithThreeNames(t *testing.T) {
	for self, want := range map[string]string{
		"consumer":                "consumer",
		"/usr/local/bin/producer": "producer",
		"bin/Consumer.EXE":        "consumer",
		"credence":                "credence",
		"credence.exe":            "credence",
		"credence-1.2.3":          "credence",
		"consumer.test":           "credence",
		"":                        "credence",
	} {
		if got := calledBy(filepath.FromSlash(self)); got != want {
			t.Errorf("started as %q it is %s, want %s", self, got, want)
		}
	}
}
