package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/testenv/probe"
)

// What docs/howto/change-a-configuration.md says of a key.
const (
	inPlace   = "in place"
	halts     = "halts"
	raised    = "raised: in place; lowered: halts"
	elsewhere = "other state"
)

// change is one of a key: models or limits before and after, or flags --set. Where both models
// are empty, they are one linear model. Live says that a consumer is run, too.
type change struct {
	before, after string
	limits        [2]string // of prefixes, before and after
	given         []string  // flags before and after
	set           []string
	live          bool
}

// with is the change under these flags.
func (c change) with(flags ...string) change {
	c.given = flags
	return c
}

func flags(s ...string) change { return change{set: s} }
func live(s ...string) change  { return change{set: s, live: true} }

const anyLinear = `{match: "**", kind: linear}`

// models gives the models before and after.
func between(before, after string) change { return change{before: before, after: after} }

// limiting is of the limits of prefixes.
func limiting(before, after string) change { return change{limits: [2]string{before, after}} }

// ofColumns is of a linear model with these columns.
func ofColumns(before, after string) change {
	return between(`{match: "**", kind: linear, columns: {`+before+`}}`, `{match: "**", kind: linear, columns: {`+after+`}}`)
}

// published is of a linear model that publishes this.
func published(before, after string) change {
	return between(`{match: "**", kind: linear, `+before+`}`, `{match: "**", kind: linear, `+after+`}`)
}

// registered are events by a schema registry.
var registered = []string{"input.format=json", "input.schema.registry=https://registry:8081"}

// changes are one of every key.
var changes = map[string]change{
	"seed":                                  live("seed=2"),
	"kafka.brokers":                         flags("kafka.brokers=other:9092"),
	"kafka.group":                           live("kafka.group=other"),
	"kafka.input":                           flags("kafka.input=other"),
	"kafka.output":                          live("kafka.output=other"),
	"kafka.dead_letters":                    live("kafka.dead_letters=other.dead"),
	"kafka.format":                          live("kafka.format=arrow"),
	"kafka.create_topics":                   live("kafka.create_topics=false"),
	"kafka.session_timeout":                 live("kafka.session_timeout=20s"),
	"kafka.peer_timeout":                    live("kafka.peer_timeout=3s"),
	"kafka.tls.enabled":                     flags("kafka.tls.enabled=true"),
	"kafka.tls.ca_file":                     flags("kafka.tls.enabled=true", "kafka.tls.ca_file=ca.pem"),
	"kafka.tls.cert_file":                   flags("kafka.tls.enabled=true", "kafka.tls.cert_file=c.pem", "kafka.tls.key_file=k.pem"),
	"kafka.tls.key_file":                    flags("kafka.tls.enabled=true", "kafka.tls.cert_file=c.pem", "kafka.tls.key_file=k.pem"),
	"kafka.tls.server_name":                 flags("kafka.tls.enabled=true", "kafka.tls.server_name=other"),
	"kafka.sasl.mechanism":                  flags("kafka.sasl.mechanism=plain", "kafka.sasl.username=u", "kafka.sasl.password_file=p"),
	"kafka.sasl.username":                   flags("kafka.sasl.mechanism=plain", "kafka.sasl.username=u", "kafka.sasl.password_file=p"),
	"kafka.sasl.password_file":              flags("kafka.sasl.mechanism=plain", "kafka.sasl.username=u", "kafka.sasl.password_file=p"),
	"input.format":                          live("input.format=json"),
	"input.payload":                         flags("input.payload=after").with("input.format=json"),
	"input.coalesce.rows":                   live("input.coalesce.rows=20"),
	"input.coalesce.time":                   live("input.coalesce.time=1m"),
	"input.schema.file":                     flags("input.schema.file=testdata/other.avsc").with("input.format=avro", "input.schema.file=testdata/change.avsc"),
	"input.schema.message":                  flags("input.schema.message=change.Two").with("input.format=protobuf", "input.schema.file=testdata/change.proto", "input.schema.message=change.One"),
	"input.schema.registry":                 flags("input.schema.registry=http://other:8081").with("input.format=json"),
	"input.schema.username":                 flags("input.schema.username=u", "input.schema.password_file=p").with(registered...),
	"input.schema.password_file":            flags("input.schema.username=u", "input.schema.password_file=p").with(registered...),
	"input.schema.tls.enabled":              flags("input.schema.tls.enabled=true").with(registered...),
	"input.schema.tls.ca_file":              flags("input.schema.tls.ca_file=ca.pem").with(registered...),
	"input.schema.tls.cert_file":            flags("input.schema.tls.cert_file=c.pem", "input.schema.tls.key_file=k.pem").with(registered...),
	"input.schema.tls.key_file":             flags("input.schema.tls.cert_file=c.pem", "input.schema.tls.key_file=k.pem").with(registered...),
	"input.schema.tls.server_name":          flags("input.schema.tls.server_name=other").with(registered...),
	"redis.url":                             flags("redis.url=redis://other:6379/0"),
	"redis.password_file":                   flags("redis.password_file=p"),
	"redis.eviction":                        live("redis.eviction=accept_unknown"),
	"redis.tls.ca_file":                     flags("redis.url=rediss://other:6379/0", "redis.tls.ca_file=ca.pem"),
	"redis.tls.cert_file":                   flags("redis.url=rediss://other:6379/0", "redis.tls.cert_file=c.pem", "redis.tls.key_file=k.pem"),
	"redis.tls.key_file":                    flags("redis.url=rediss://other:6379/0", "redis.tls.cert_file=c.pem", "redis.tls.key_file=k.pem"),
	"redis.sentinel_username":               flags("redis.url=redis+sentinel://other/m", "redis.sentinel_username=u", "redis.sentinel_password_file=p"),
	"redis.sentinel_password_file":          flags("redis.url=redis+sentinel://other/m", "redis.sentinel_username=u", "redis.sentinel_password_file=p"),
	"checkpoint.interval":                   live("checkpoint.interval=2s"),
	"checkpoint.min_pause":                  live("checkpoint.min_pause=7ms"),
	"checkpoint.records":                    live("checkpoint.records=7"),
	"checkpoint.bytes":                      live("checkpoint.bytes=1MiB"),
	"memory.inflight":                       live("memory.inflight=128MiB"),
	"memory.cache":                          live("memory.cache=64MiB"),
	"limits.record":                         live("limits.record=33MiB"),
	"limits.rows":                           live("limits.rows=1000001"),
	"limits.columns":                        live("limits.columns=5001"),
	"limits.groups":                         live("limits.groups=100001"),
	"limits.summary":                        live("limits.summary=17MiB"),
	"limits.dead_letter":                    live("limits.dead_letter=900KiB"),
	"limits.prefixes[].prefix":              limiting("{prefix: a/, keys: 7}", "{prefix: b/, keys: 7}"),
	"limits.prefixes[].new_keys_per_minute": limiting("{prefix: a/, new_keys_per_minute: 7}", "{prefix: a/, new_keys_per_minute: 1}"),
	"limits.prefixes[].bytes":               limiting("{prefix: a/, bytes_per_key: 70KiB, bytes: 7MiB}", "{prefix: a/, bytes_per_key: 70KiB, bytes: 1MiB}"),
	"limits.prefixes[].bytes_per_key":       limiting("{prefix: a/, bytes_per_key: 70KiB}", "{prefix: a/, bytes_per_key: 10KiB}"),
	"limits.prefixes[].keys":                limiting("{prefix: a/, keys: 7}", "{prefix: a/, keys: 1}"),
	"http.listen":                           live("http.listen=127.0.0.1:0"),
	"http.token_file":                       flags("http.token_file=t"),
	"http.tokens_file":                      flags("http.tokens_file=t"),
	"http.tls.cert_file":                    flags("http.tls.cert_file=c.pem", "http.tls.key_file=k.pem"),
	"http.tls.key_file":                     flags("http.tls.cert_file=c.pem", "http.tls.key_file=k.pem"),
	"http.tls.client_ca_file":               flags("http.tls.cert_file=c.pem", "http.tls.key_file=k.pem", "http.tls.client_ca_file=ca.pem"),
	"http.trusted_proxies":                  live("http.trusted_proxies=10.0.0.0/8"),
	"http.rate":                             live("http.rate=7"),
	"http.history":                          live("http.history=1MiB"),
	"http.pprof":                            live("http.pprof=true", "http.listen=127.0.0.1:0"),
	"log.format":                            live("log.format=json"),
	"log.level":                             live("log.level=warn"),
	"log.audit_file":                        flags("log.audit_file=a"),
	"traces.endpoint":                       live("traces.endpoint=http://127.0.0.1:1"),
	"traces.sample":                         live("traces.sample=0.5"),
	"traces.keys":                           live("traces.keys=true"),
	"traces.service":                        live("traces.service=other"),
	"traces.headers_file":                   flags("traces.endpoint=http://other:4318", "traces.headers_file=h"),
	"traces.tls.ca_file":                    flags("traces.endpoint=https://other:4318", "traces.tls.ca_file=ca.pem"),
	"traces.tls.cert_file":                  flags("traces.endpoint=https://other:4318", "traces.tls.cert_file=c.pem", "traces.tls.key_file=k.pem"),
	"traces.tls.key_file":                   flags("traces.endpoint=https://other:4318", "traces.tls.cert_file=c.pem", "traces.tls.key_file=k.pem"),
	"on_gap":                                live("on_gap=skip"),

	"models[].match":                            live("models.0.match=*"),
	"models[].kind":                             live("models.0.kind=dlm"),
	"models[].variant":                          live("models.0.variant=paper"),
	"models[].formula":                          between(`{match: "**", kind: linear, formula: y ~ x}`, `{match: "**", kind: linear, formula: y ~ 0 + x}`),
	"models[].columns.scaling":                  live("models.0.columns.scaling=none"),
	"models[].columns.response.name":            ofColumns("response: y", "response: z"),
	"models[].columns.response.center":          ofColumns("response: {name: y}", "response: {name: y, center: 1}"),
	"models[].columns.response.scale":           ofColumns("response: {name: y}", "response: {name: y, scale: 2}"),
	"models[].columns.features[].name":          ofColumns("features: [x]", "features: [z]"),
	"models[].columns.features[].center":        ofColumns("features: [{name: x}]", "features: [{name: x, center: 1}]"),
	"models[].columns.features[].scale":         ofColumns("features: [{name: x}]", "features: [{name: x, scale: 2}]"),
	"models[].columns.features[].levels":        ofColumns("features: [{name: x, levels: [a, b], baseline: a}]", "features: [{name: x, levels: [a, b, c], baseline: a}]"),
	"models[].columns.features[].baseline":      ofColumns("features: [{name: x, levels: [a, b], baseline: a}]", "features: [{name: x, levels: [a, b], baseline: b}]"),
	"models[].columns.features[].other":         ofColumns("features: [{name: x, levels: [a, b], baseline: a}]", "features: [{name: x, levels: [a, b], baseline: a, other: drop}]"),
	"models[].columns.group":                    between(`{match: "**", kind: anova, columns: {group: g}}`, `{match: "**", kind: anova, columns: {group: h}}`),
	"models[].columns.groups[].column":          between(`{match: "**", kind: poisson, columns: {groups: [{column: g}]}}`, `{match: "**", kind: poisson, columns: {groups: [{column: h}]}}`),
	"models[].columns.groups[].slopes":          between(`{match: "**", kind: poisson, columns: {features: [x], groups: [{column: g}]}}`, `{match: "**", kind: poisson, columns: {features: [x], groups: [{column: g, slopes: [x]}]}}`),
	"models[].columns.exposure":                 between(`{match: "**", kind: poisson}`, `{match: "**", kind: poisson, columns: {exposure: e}}`),
	"models[].columns.time":                     between(`{match: "**", kind: dlm}`, `{match: "**", kind: dlm, columns: {time: t}}`),
	"models[].columns.intercept":                live("models.0.columns.intercept=false"),
	"models[].draws":                            live("models.0.draws=400"),
	"models[].forget":                           live("models.0.forget=0.9"),
	"models[].forget_per":                       live("models.0.forget_per=row"),
	"models[].missing":                          live("models.0.missing=reject"),
	"models[].publish.every":                    live("models.0.publish.every=2"),
	"models[].publish.draws":                    live("models.0.publish.draws=true"),
	"models[].publish.scale":                    live("models.0.publish.scale=model"),
	"models[].publish.covariance":               live("models.0.publish.covariance=true"),
	"models[].publish.predictions":              live("models.0.publish.predictions=all"),
	"models[].publish.groups":                   between(`{match: "**", kind: anova, columns: {group: g}}`, `{match: "**", kind: anova, columns: {group: g}, publish: {groups: touched}}`),
	"models[].publish.variables":                live("models.0.publish.variables=beta*"),
	"models[].publish.quantities[].name":        published("publish: {quantities: [{of: sigma2}]}", "publish: {quantities: [{name: s, of: sigma2}]}"),
	"models[].publish.quantities[].of":          published("publish: {quantities: [{of: sigma2}]}", "publish: {quantities: [{of: 2*sigma2}]}"),
	"models[].publish.quantities[].probability": published("publish: {every: 1}", `publish: {quantities: [{probability: "sigma2 > 1"}]}`),
	"models[].publish.quantities[].predict":     published("columns: {features: [x]}, publish: {quantities: [{name: p, predict: {x: 1}}]}", "columns: {features: [x]}, publish: {quantities: [{name: p, predict: {x: 2}}]}"),
	"models[].publish.quantities[].forecast":    between(`{match: "**", kind: dlm, publish: {quantities: [{name: p, forecast: 1}]}}`, `{match: "**", kind: dlm, publish: {quantities: [{name: p, forecast: 2}]}}`),
	"models[].publish.quantities[].quantile":    published("publish: {quantities: [{name: p, of: sigma2}]}", "publish: {quantities: [{name: p, of: sigma2, quantile: [0.5]}]}"),
	"models[].alerts[].name":                    published(alerts("a", "P(sigma2 > 1) > 0.9", 1), alerts("b", "P(sigma2 > 1) > 0.9", 1)),
	"models[].alerts[].when":                    published(alerts("a", "P(sigma2 > 1) > 0.9", 1), alerts("a", "P(sigma2 > 2) > 0.9", 1)),
	"models[].alerts[].for":                     published(alerts("a", "P(sigma2 > 1) > 0.9", 1), alerts("a", "P(sigma2 > 1) > 0.9", 2)),
	"models[].alerts[].clear_below":             published(alerts("a", "P(sigma2 > 1) > 0.9", 1), strings.Replace(alerts("a", "P(sigma2 > 1) > 0.9", 1), "for: 1", "clear_below: 0.3", 1)),
	"models[].units":                            published("units: {y: EUR}", "units: {y: USD}"),
}

func alerts(name, when string, shards int) string {
	return fmt.Sprintf(`alerts: [{name: %s, when: "%s", for: %d}]`, name, when, shards)
}

// lowered are changes of limits that are refused.
var lowered = map[string]change{
	"limits.record":  live("limits.record=31MiB"),
	"limits.rows":    live("limits.rows=999999"),
	"limits.columns": live("limits.columns=4999"),
	"limits.groups":  live("limits.groups=99999"),
	"limits.summary": live("limits.summary=15MiB"),
}

// otherSettings are of settings that are no numbers.
var otherSettings = map[string]string{
	"mode": "compact", "mean": "known", "projection": "fixed", "statistics": "exact", "discount": "2,0.3",
	"group": "inverse-gamma", "overdispersion": "none",
}

const (
	howTo     = "../../docs/howto/change-a-configuration.md"
	reference = "../../docs/reference/configuration.md"
)

// decisions reads what the how-to says of each key.
func decisions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	_, table, ok := strings.Cut(string(pageOf(t, howTo)), "\n## Every key\n")
	if !ok {
		t.Fatalf("%s has no section Every key", howTo)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*`) \\| ([^|]+) \\|$").FindAllStringSubmatch(table, -1) {
		for _, key := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			if _, twice := all[key[1]]; twice {
				t.Errorf("%s decides twice about %s", howTo, key[1])
			}
			all[key[1]], _, _ = strings.Cut(row[2], ". ")
		}
	}
	return all
}

func pageOf(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// keyTables are those of the reference: of all keys, and of the settings of each kind.
func keyTables(t *testing.T) (keys []string, settings map[string][][2]string) {
	t.Helper()
	first, rest, _ := strings.Cut(string(pageOf(t, reference)), "\n## Settings of ")
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\|")
	for _, m := range row.FindAllStringSubmatch(first, -1) {
		keys = append(keys, m[1])
	}
	settings = map[string][][2]string{}
	for _, part := range strings.Split(rest, "\n## Settings of ") {
		kind, _, _ := strings.Cut(part, "\n")
		for _, m := range row.FindAllStringSubmatch(part, -1) {
			settings[kind] = append(settings[kind], [2]string{m[1], strings.Trim(m[2], "` ")})
		}
	}
	return keys, settings
}

// rulesOf are those of a list of models and of limits under flags.
func rulesOf(t *testing.T, models, limits, flag string, sets []string) *pipeline.Rules {
	t.Helper()
	c, _, err := config.Parse(config.Source{Kinds: registry, File: "c.yaml", Sets: sets}, []byte("models: ["+models+"]\nlimits: {prefixes: ["+limits+"]}"))
	if err != nil {
		t.Fatalf("%s: %v", flag, err)
	}
	r, err := connect.NewRules(c)
	if err != nil {
		t.Fatalf("%s: %v", flag, err)
	}
	return r
}

var registry = models.Kinds()

// accepted reports whether state of before goes on after a change.
func (c change) accepted(t *testing.T, key string) bool {
	t.Helper()
	before, after := c.before, c.after
	if before == "" {
		before, after = anyLinear, anyLinear
	}
	is, was := rulesOf(t, after, c.limits[1], key, slices.Concat(c.given, c.set)), rulesOf(t, before, c.limits[0], key, c.given)
	return is.Accepts(was.Recorded(0))
}

// TestEveryKeyUnderLiveState holds what the how-to says of a change of each key against
// what a group with state does, and fails for a key of which nothing is said.
func TestEveryKeyUnderLiveState(t *testing.T) {
	said := decisions(t)
	keys, settings := keyTables(t)
	for _, key := range keys {
		c, tested := changes[key]
		decision := said[key]
		if !tested || !slices.Contains([]string{inPlace, halts, raised, elsewhere}, decision) {
			t.Errorf("%s: %s says %q of a change under live state, and a change is tested: %v", key, howTo, decision, tested)
			continue
		}
		if got := c.accepted(t, key); got != (decision != halts) {
			t.Errorf("%s: %s says %q, and state of before is taken: %v", key, howTo, decision, got)
		}
		low, limited := lowered[key]
		if limited != (decision == raised) || limited && low.accepted(t, key) {
			t.Errorf("%s: lowered, state of before is taken, or %q is not what is tested", key, decision)
		}
	}
	for key := range said {
		if !slices.Contains(keys, key) && key != "models[].settings" {
			t.Errorf("%s decides about %s, which is no key", howTo, key)
		}
	}
	if said["models[].settings"] != halts || len(settings) != len(registry.Names()) {
		t.Errorf("of settings is said %q; there are those of %d kinds", said["models[].settings"], len(settings))
	}
	for kind, list := range settings {
		base := fmt.Sprintf(`{match: "**", kind: %s}`, kind)
		if kind == "anova" {
			base = `{match: "**", kind: anova, columns: {group: g}}`
		}
		for _, s := range list {
			name, key := s[0][strings.LastIndexByte(s[0], '.')+1:], "models.0."+s[0]
			other := otherSettings[name]
			if v, err := strconv.ParseFloat(s[1], 64); other == "" && err == nil {
				other = strconv.FormatFloat(v+1, 'g', -1, 64)
			}
			if name == "freeze" {
				continue // it has one value
			}
			c := change{before: base, after: base, set: []string{key + "=" + other}}
			if c.accepted(t, kind+" "+key) {
				t.Errorf("%s: state of before is taken when %s is %s", kind, s[0], other)
			}
		}
	}
}

// TestChangedUnderLiveState runs a consumer with each change that needs no other servers
// over the state of a group: it goes on, or halts by name with the ways out, and then the
// state is what it was.
func TestChangedUnderLiveState(t *testing.T) {
	said := decisions(t)
	w := settled(t)
	want := w.everything()
	try := func(key string, c change, goesOn bool) {
		t.Helper()
		args := []string{"run", "--until-end"}
		for _, s := range c.set {
			args = append(args, "--set", s)
		}
		code, _, messages := w.consumer(args...)
		if goesOn != (code == 0) {
			t.Errorf("%s (%v): exit %d\n%s", key, c.set, code, messages)
		}
		for _, text := range []string{"halted (configuration)", "restore it", "new consumer group"} {
			if !goesOn && !strings.Contains(messages, text) {
				t.Errorf("%s (%v): no %q in\n%s", key, c.set, text, messages)
			}
		}
	}
	var ran int
	for i, key := range slices.Sorted(maps.Keys(changes)) {
		c := changes[key]
		// What runs side by side is the same whatever the key: the race detector looks at some.
		if !c.live || said[key] == raised || probe.Raced() && i%6 > 0 {
			continue
		}
		ran++
		try(key, c, said[key] != halts)
	}
	for key, c := range lowered {
		try(key, c, false)
	}
	for key, text := range w.everything() {
		if text != want[key] {
			t.Errorf("%s is not what it was", key)
		}
	}
	for key, c := range changes {
		if said[key] == raised {
			try(key, c, true)
			try(key, change{}, false) // the old limit is a lower one now
			w.must("state", "delete", "--all", "--yes")
			w.must("run", "--until-end")
		}
	}
	t.Logf("%d changes of keys and %d lowered limits tried", ran, len(lowered))
}
