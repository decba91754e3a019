package config

import (
	"strings"
	"testing"

	"github.com/credence-stream/credence/models"
)

// A problem of a value says where the value is from; of a flag the path says it.
func TestPlacesOfProblems(t *testing.T) {
	for want, s := range map[string]Source{
		`c.yaml:1: kafka.format: "a" is`:              {},
		`CREDENCE_KAFKA_FORMAT: kafka.format: "b" is`: {Env: []string{"CREDENCE_KAFKA_FORMAT=b"}},
		`kafka.format: "c" is`:                        {Env: []string{"CREDENCE_KAFKA_FORMAT=b"}, Sets: []string{"kafka.format=c"}},
	} {
		s.File, s.Kinds = "c.yaml", models.Kinds()
		if _, _, err := Parse(s, []byte("kafka: {format: a}\n"+smallest)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
