package config

import (
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/models"
)

// Each configuration has one fault, and the message must hold all the parts.
func TestRefused(t *testing.T) {
	model := func(rest string) string { return "models: [{match: a, kind: linear, " + rest + "}]" }
	anova := func(rest string) string { return "models: [{match: a, kind: anova, " + rest + "}]" }
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"unknown key":                   {smallest + "\nkafkaa: {}", []string{"c.yaml:2: ", `unknown key "kafkaa"`, `did you mean "kafka"?`}},
		"unknown key in section":        {smallest + "\nkafka:\n  linger: x", []string{"c.yaml:3: ", `unknown key "linger" in kafka`, "known: brokers"}},
		"Kafka's own key":               {smallest + "\nkafka:\n  group.id: x", []string{`c.yaml:3: unknown key "group.id" in kafka: here it is group`}},
		"a key of a fit":                {model("columns: {target: y}"), []string{`unknown key "target" in models[0].columns: here it is response`}},
		"a key of a server":             {smallest + "\nredis: {host: r}", []string{`unknown key "host" in redis: here it is url, as redis://HOST:6379/0`}},
		"words in place of lists":       {smallest + "\nkafka: {brokers: 'a:1, b:1'}", []string{`kafka.brokers: expected a list, found "a:1, b:1": write ["a:1", "b:1"]`}},
		"a number in quotes":            {model("forget: '0.9'"), []string{`models[0].forget: "0.9" is not a finite number: quotes make it a text, leave them out`}},
		"a word in capitals":            {smallest + "\n\nkafka:\n\n  format: JSON", []string{`c.yaml:5: kafka.format: "JSON" is none of: arrow, json; did you mean json?`}},
		"line of a list's entry":        {smallest + "\nkafka:\n  brokers:\n  - a:1\n  - b", []string{`c.yaml:3: kafka.brokers: "b" is not host:port`}},
		"line of a model":               {"models:\n- {match: a, kind: linear}\n- match: b\n  kind: linear\n  forget: 2", []string{"c.yaml:5: models[1].forget: 2 is not"}},
		"line of what is missing":       {"models:\n- {match: a, kind: linear}\n- match: b\n  kind: anova\n  columns:\n    response: z", []string{"c.yaml:5: models[1].columns.group: missing"}},
		"a tab":                         {smallest + "\nkafka:\n  group: a\n\tinput: b", []string{"c.yaml:4: a tab before a key: indent with blanks"}},
		"match without quotes":          {"models:\n- match: **\n  kind: linear", []string{"c.yaml: no YAML, near line 2: ", `wants quotes, as in match: "**"`}},
		"no blank":                      {smallest + "\nkafka:\n  group:a\n  input: b", []string{"c.yaml: no YAML, near line ", "; "}},
		"not indented alike":            {smallest + "\nkafka:\n  group: a\n   input: b", []string{"c.yaml: no YAML, near line 4: ", "begin in the same column"}},
		"an open bracket":               {smallest + "\nkafka: {brokers: [a", []string{"c.yaml: no YAML, near line ", "is not closed"}},
		"of another code page":          {smallest + "\n# caf\xe9", []string{"c.yaml: no YAML", "the file is not UTF-8"}},
		"unknown key in model":          {model("colums: {}"), []string{"c.yaml:1: ", "models[0]", `did you mean "columns"?`}},
		"unknown key in response":       {model("columns: {response: {name: y, levels: first}}"), []string{"models[0].columns.response", "levels"}},
		"unknown key in settings":       {model("settings: {prior: {beta_varianc: 1}}"), []string{"c.yaml:1: ", "models[0].settings.prior", `did you mean "beta_variance"?`}},
		"key twice":                     {smallest + "\nseed: 1\nseed: 2", []string{"c.yaml:3", "seed", "twice", "line 2"}},
		"two documents":                 {smallest + "\n---\nseed: 1", []string{"c.yaml:", "second document"}},
		"not YAML":                      {"models: [", []string{"c.yaml: no YAML, near line ", "is not closed"}},
		"not a mapping":                 {"- a", []string{"c.yaml:1", "mapping"}},
		"section a word":                {smallest + "\nkafka: on", []string{"c.yaml:2: kafka", "expected keys and values"}},
		"list a word":                   {smallest + "\nkafka: {brokers: 'a:1'}", []string{"kafka.brokers", "expected a list"}},
		"word a list":                   {smallest + "\nkafka: {group: [a]}", []string{"kafka.group", "found a list"}},
		"not a bool":                    {smallest + "\nkafka: {create_topics: maybe}", []string{"kafka.create_topics", "neither true nor false"}},
		"not whole":                     {smallest + "\ncheckpoint: {records: 1.5}", []string{"checkpoint.records", "whole number"}},
		"negative seed":                 {smallest + "\nseed: -1", []string{"seed", "from 0 on"}},
		"not a number":                  {model("forget: .nan"), []string{"models[0].forget", "finite number"}},
		"not a size":                    {smallest + "\nlimits: {record: 4Mi}", []string{"limits.record", "4MiB"}},
		"not a duration":                {smallest + "\ncheckpoint: {interval: 1}", []string{"checkpoint.interval", "1s"}},
		"not a clock":                   {model("forget_per: day"), []string{"forget_per", "shard, row"}},
		"clock too fine":                {model("forget_per: 1500us"), []string{"forget_per", "whole milliseconds"}},
		"proxy a word":                  {smallest + "\nhttp:\n  trusted_proxies: [10.0.0.0/8, proxy]", []string{"c.yaml:3: http.trusted_proxies[1]", `"proxy" is not a network`}},
		"proxy an address":              {smallest + "\nhttp:\n  trusted_proxies: [10.0.0.1]", []string{"c.yaml:3: http.trusted_proxies[0]", `"10.0.0.1" is not a network`, "192.0.2.7/32"}},
		"proxies a word":                {smallest + "\nhttp: {trusted_proxies: 10.0.0.0/8}", []string{"c.yaml:2: http.trusted_proxies", "expected a list"}},
		"proxy beyond its bits":         {smallest + "\nhttp:\n  trusted_proxies:\n  - 10.0.0.1/8", []string{"c.yaml:4: http.trusted_proxies[0]", "write 10.0.0.0/8, or 10.0.0.1/32"}},
		"every proxy":                   {smallest + "\nhttp: {trusted_proxies: ['::/0']}", []string{"c.yaml:2: http.trusted_proxies[0]", "every address"}},
		"proxy within IPv6":             {smallest + "\nhttp: {trusted_proxies: ['::ffff:10.0.0.0/104']}", []string{"c.yaml:2: http.trusted_proxies[0]", "IPv4 written as IPv6"}},
		"collector of gRPC":             {smallest + "\ntraces: {endpoint: 'http://collector:4317'}", []string{"traces.endpoint", "gRPC", "4318"}},
		"collector without URL":         {smallest + "\ntraces: {endpoint: 'collector:4318'}", []string{"traces.endpoint", "http://collector:4318"}},
		"secret of a collector":         {smallest + "\ntraces: {endpoint: 'https://me:secret@collector'}", []string{"traces.endpoint", "me:***@", "traces.headers_file"}},
		"TLS of no collector":           {smallest + "\ntraces: {endpoint: 'http://c:4318', tls: {ca_file: a}}", []string{"traces.tls", "https"}},
		"half a certificate":            {smallest + "\ntraces: {endpoint: 'https://c', tls: {cert_file: a}}", []string{"traces.tls.cert_file", "both or neither"}},
		"headers for nobody":            {smallest + "\ntraces: {headers_file: a}", []string{"traces.endpoint is empty", "traces.headers_file"}},
		"more than all traces":          {smallest + "\ntraces: {sample: 2}", []string{"traces.sample", "0 to 1"}},
		"traces of nobody":              {smallest + "\ntraces: {service: ''}", []string{"traces.service", "empty"}},
		"no models":                     {"seed: 1", []string{"models: empty", "dead letters"}},
		"empty file":                    {"", []string{"models: empty"}},
		"no match":                      {"models: [{kind: linear}]", []string{"models[0].match: missing"}},
		"same match":                    {"models: [{match: a, kind: linear}, {match: a, kind: linear}]", []string{`models[1] (match "a") is never used`, "models[0]"}},
		"behind all":                    {"models: [{match: '**', kind: linear}, {match: a, kind: linear}]", []string{`models[1] (match "a")`, `match "**"`}},
		"no kind":                       {"models: [{match: a}]", []string{"models[0].kind: missing", "available: linear, anova"}},
		"unknown kind":                  {"models: [{match: a, kind: linera}]", []string{`"linera"`, `did you mean "linear"?`}},
		"variant":                       {model("variant: exact"), []string{"models[0].variant", "corrected, paper"}},
		"unit of no column":             {model("columns: {features: [price]}, units: {prise: EUR}"), []string{"models[0].units", `"prise"`, "no column"}},
		"unit of a list":                {model("units: {price: [EUR]}"), []string{"models[0].units", "one unit"}},
		"units a word":                  {model("units: EUR"), []string{"models[0].units", "price: EUR"}},
		"unit twice":                    {model("units: {a: EUR, a: USD}"), []string{"models[0].units.a", "twice"}},
		"long unit":                     {model("units: {a: aaaaaaaaaaaaaaaaaaaaaaaaa}"), []string{"models[0].units.a", "1 to 24"}},
		"empty features":                {model("columns: {features: [], intercept: false}"), []string{"columns.features: an empty list, and no intercept", "leave the key out"}},
		"anova, empty features":         {anova("columns: {features: []}"), []string{"columns.features means nothing to kind anova"}},
		"nameless feature":              {model("columns: {features: [{center: 1}]}"), []string{"features[0]", "name is empty"}},
		"level and column of one name":  {model(`columns: {features: [{name: a, levels: [x, b], baseline: x}, "a=b"]}`), []string{`two coefficients would be named "a=b"`}},
		"slope twice":                   {strings.Replace(model(`columns: {groups: [{column: g, slopes: [x, x]}]}`), "kind: linear", "kind: poisson", 1), []string{`two terms of groups would be named "g,x"`}},
		"slope and group of one name":   {strings.Replace(model(`columns: {groups: [{column: g, slopes: [x]}, {column: "g,x"}]}`), "kind: linear", "kind: poisson", 1), []string{`two terms of groups would be named "g,x"`}},
		"groups of a formula, one name": {"models: [{match: \"**\", kind: poisson, formula: \"y ~ (x | g) + (1 | `g,x`)\"}]", []string{`two terms of groups would be named "g,x"`}},
		"feature twice":                 {model("columns: {features: [a, a]}"), []string{`"a" is a feature and a feature`}},
		"the intercept's name":          {model("columns: {features: [intercept]}"), []string{"features[0]: intercept is the name of the intercept", "I(intercept)", "columns.intercept: false"}},
		"response as feature":           {model("columns: {response: a, features: [a]}"), []string{`"a" is the response and a feature`}},
		"scale of 0":                    {model("columns: {features: [{name: a, scale: 0}]}"), []string{"scale 0"}},
		"levels, no baseline":           {model("columns: {features: [{name: a, levels: [x, z]}]}"), []string{"(a)", "baseline is missing", "x, z"}},
		"baseline elsewhere":            {model("columns: {features: [{name: a, levels: [x, z], baseline: w}]}"), []string{`"w"`, "x, z"}},
		"baseline, no levels":           {model("columns: {features: [{name: a, baseline: w}]}"), []string{"no levels"}},
		"level twice":                   {model("columns: {features: [{name: a, levels: [x, x], baseline: x}]}"), []string{"listed twice"}},
		"scaled levels":                 {model("columns: {features: [{name: a, levels: first, scale: 2}]}"), []string{"neither centred nor scaled"}},
		"levels a word":                 {model("columns: {features: [{name: a, levels: last}]}"), []string{`"last"`, "first"}},
		"other":                         {model("columns: {features: [{name: a, levels: first, other: skip}]}"), []string{"level, drop, reject"}},
		"linear with group":             {model("columns: {group: g}"), []string{"columns.group", "kind linear", "anova, poisson"}},
		"linear with exposure":          {model("columns: {exposure: g}"), []string{"columns.exposure", "kind linear", "poisson"}},
		"linear with time":              {model("columns: {time: g}"), []string{"columns.time", "kind linear", "dlm"}},
		"linear with groups":            {model("columns: {groups: [g]}"), []string{"columns.groups", "kind linear", "anova, poisson"}},
		"anova, no group":               {anova("columns: {response: z}"), []string{"models[0].columns.group: missing", "anova"}},
		"anova, two groups":             {anova("columns: {groups: [g, h]}"), []string{"columns.groups: 2 columns"}},
		"anova, both":                   {anova("columns: {group: g, groups: [h]}"), []string{"columns.group is \"g\""}},
		"anova with slopes":             {anova("columns: {groups: [{column: g, slopes: [x]}]}"), []string{"slopes: anova has no slopes"}},
		"anova with features":           {anova("columns: {group: g, features: [x]}"), []string{"columns.features", "kind anova", "linear, probit"}},
		"anova with time":               {anova("columns: {group: g, time: x}"), []string{"columns.time", "kind anova", "dlm"}},
		"anova, setting":                {anova("columns: {group: g}, settings: {prior: {tau_shape: 1}}"), []string{"models[0].settings.prior", `did you mean "tau2_shape"?`}},
		"anova, rate of 0":              {anova("columns: {group: g}, settings: {prior: {tau2_rate: 0}}"), []string{"models[0].settings", "prior.tau2_rate must be positive"}},
		"group is response":             {anova("columns: {group: y}"), []string{`"y" is the response and a group`}},
		"compressed, no file":           {`models: [{match: "**", kind: compressed, settings: {projection: fixed, projection_file: none.csv}}]`, []string{"models[0].settings: projection_file", "none.csv"}},
		"probit, response centre":       {`models: [{match: "**", kind: probit, columns: {response: {name: y, center: 1}}}]`, []string{"columns.response: center and scale", "probit"}},
		"poisson, response scale":       {`models: [{match: "**", kind: poisson, columns: {response: {name: y, scale: 2}}}]`, []string{"columns.response: center and scale", "poisson"}},
		"dlm with features":             {`models: [{match: "**", kind: dlm, columns: {features: [a]}}]`, []string{"columns.features", "kind dlm", "linear"}},
		"draws":                         {model("draws: 0"), []string{"models[0].draws: 0"}},
		"forget 0":                      {model("forget: 0"), []string{"models[0].forget: 0"}},
		"forget above 1":                {model("forget: 1.5"), []string{"models[0].forget: 1.5"}},
		"missing":                       {model("missing: keep"), []string{"models[0].missing", "drop, reject"}},
		"every 0":                       {model("publish: {every: 0}"), []string{"publish.every: 0"}},
		"scale":                         {model("publish: {scale: log}"), []string{"publish.scale", "original, model"}},
		"no variables":                  {model("publish: {variables: []}"), []string{"publish.variables", `["**"]`}},
		"no brokers":                    {smallest + "\nkafka: {brokers: []}", []string{"kafka.brokers: empty"}},
		"broker without port":           {smallest + "\nkafka: {brokers: [localhost]}", []string{`"localhost" is not host:port`}},
		"embedded and others":           {smallest + "\nkafka: {brokers: [embedded, 'a:1']}", []string{"embedded, a:1"}},
		"group":                         {smallest + "\nkafka: {group: a b}", []string{"kafka.group", `"a b"`}},
		"format":                        {smallest + "\nkafka: {format: avro}", []string{"kafka.format", "arrow, json"}},
		"log format":                    {smallest + "\nlog: {format: xml}", []string{"log.format", "text, json"}},
		"open profiles":                 {smallest + "\nhttp: {listen: \"0.0.0.0:80\", pprof: true}", []string{"http.pprof", "http.token_file"}},
		"input is output":               {smallest + "\nkafka: {input: t, output: t}", []string{"kafka.input and kafka.output", `"t"`}},
		"output is dead letters":        {smallest + "\nkafka: {output: t, dead_letters: t}", []string{"kafka.output and kafka.dead_letters", `"t"`}},
		"avro without a schema":         {smallest + "\ninput: {format: avro}", []string{"input.format is avro", "input.schema.file", "input.schema.registry"}},
		"two schemas":                   {smallest + "\ninput: {format: avro, schema: {file: a.avsc, registry: 'http://r:1'}}", []string{`"a.avsc"`, "give one of them"}},
		"schema of shards":              {smallest + "\ninput: {schema: {file: a.avsc}}", []string{"input.format is arrow"}},
		"schema file of json":           {smallest + "\ninput: {format: json, schema: {file: a.avsc}}", []string{"read without a schema"}},
		"protobuf, no message":          {smallest + "\ninput: {format: protobuf, schema: {file: a.proto}}", []string{"input.schema.message is empty", "a.proto"}},
		"message of avro":               {smallest + "\ninput: {format: avro, schema: {file: a.avsc, message: M}}", []string{`input.schema.message is "M"`}},
		"registry, no URL":              {smallest + "\ninput: {format: avro, schema: {registry: 'r:8081'}}", []string{"input.schema.registry", "https://registry:8081"}},
		"registry with a user":          {smallest + "\ninput: {format: avro, schema: {registry: 'http://u:hush@r'}}", []string{"http://u:***@r", "input.schema.username"}},
		"registry, no password":         {smallest + "\ninput: {format: avro, schema: {registry: 'http://r', username: u}}", []string{`"u"`, "give both"}},
		"registry, http and tls":        {smallest + "\ninput: {format: avro, schema: {registry: 'http://r', tls: {ca_file: c.pem}}}", []string{"https is with TLS"}},
		"user, no registry":             {smallest + "\ninput: {format: avro, schema: {file: a.avsc, username: u}}", []string{"input.schema.registry is empty"}},
		"topic":                         {smallest + "\nkafka: {input: a/b}", []string{"kafka.input", `"a/b"`}},
		"certificate, no key":           {smallest + "\nkafka: {tls: {enabled: true, cert_file: c.pem}}", []string{`"c.pem"`, `kafka.tls.key_file is ""`}},
		"tls off with a file":           {smallest + "\nkafka: {tls: {ca_file: c.pem}}", []string{"enabled is false", "c.pem"}},
		"sasl":                          {smallest + "\nkafka: {sasl: {mechanism: gssapi}}", []string{`"gssapi"`, "scram-sha-256"}},
		"sasl, no mechanism":            {smallest + "\nkafka: {sasl: {username: u}}", []string{"mechanism is empty", `"u"`}},
		"sasl, no password":             {smallest + "\nkafka: {sasl: {mechanism: plain, username: u}}", []string{"plain", `"u"`, "password_file"}},
		"redis scheme":                  {smallest + "\nredis: {url: 'http://u:hush@h'}", []string{"redis.url", `http://u:***@h`, "rediss"}},
		"redis host":                    {smallest + "\nredis: {url: 'redis:///0'}", []string{"names no host"}},
		"on_gap":                        {smallest + "\non_gap: stop", []string{"on_gap", "halt, skip"}},
		"limit 0":                       {smallest + "\nlimits: {rows: 0}", []string{"limits.rows"}},
		"record above memory":           {smallest + "\nmemory: {inflight: 16MiB}", []string{"memory.inflight is 16MiB", "limits.record is 32MiB"}},
		"checkpoint above memory":       {smallest + "\ncheckpoint: {bytes: 1GiB}", []string{"checkpoint.bytes is 1GiB", "memory.inflight is 256MiB"}},
		"prefix of nothing":             {smallest + "\nlimits: {prefixes: [{keys: 3}]}", []string{"limits.prefixes[0].prefix", "1 to 512 bytes"}},
		"prefix within a prefix":        {smallest + "\nlimits: {prefixes: [{prefix: acme/x, keys: 3}, {prefix: acme}]}", []string{`limits.prefixes[1] is "acme"`, `"acme/x"`, "under both"}},
		"a prefix twice":                {smallest + "\nlimits: {prefixes: [{prefix: a/, keys: 3}, {prefix: a/}]}", []string{`limits.prefixes[0] is "a/"`, "under both"}},
		"keys below 0":                  {smallest + "\nlimits: {prefixes: [{prefix: a/, keys: -3}]}", []string{"limits.prefixes[0].keys: -3", "0 is no limit"}},
		"new keys below 0":              {smallest + "\nlimits: {prefixes: [{prefix: a/, new_keys_per_minute: -3}]}", []string{"limits.prefixes[0].new_keys_per_minute: -3", "0 is no limit"}},
		"bytes below 0":                 {smallest + "\nlimits: {prefixes: [{prefix: a/, bytes_per_key: -3}]}", []string{"bytes_per_key", "-3"}},
		"bytes of no size":              {smallest + "\nlimits: {prefixes: [{prefix: a/, bytes: 1MiB}]}", []string{"limits.prefixes[0].bytes", "bytes_per_key"}},
		"bytes of less than one":        {smallest + "\nlimits: {prefixes: [{prefix: a/, bytes: 1KiB, bytes_per_key: 2KiB}]}", []string{"limits.prefixes[0].bytes: 1KiB", "2KiB", "no key"}},
		"unknown limit":                 {smallest + "\nlimits: {prefixes: [{prefix: a/, rows: 3}]}", []string{"rows"}},
		"summary too large":             {smallest + "\nlimits: {summary: 2GiB}", []string{"limits.summary is 2GiB"}},
		"listen":                        {smallest + "\nhttp: {listen: '8080'}", []string{"http.listen", `"8080"`}},
		"rate":                          {smallest + "\nhttp: {rate: -1}", []string{"http.rate: -1", "0 is no limit"}},
		"history":                       {smallest + "\nhttp: {history: 100KiB}", []string{"http.history: 100KiB", "below 1MiB"}},
		"tokens for nobody":             {smallest + "\nhttp: {listen: '', tokens_file: t}", []string{`http.tokens_file is "t"`, "http.listen is empty"}},
		"token and tokens":              {smallest + "\nhttp: {token_file: t, tokens_file: u}", []string{`http.token_file is "t"`, `"u"`, "give one of them"}},
		"token for nobody":              {smallest + "\nhttp: {listen: '', token_file: t}", []string{`http.token_file is "t"`, "http.listen is empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Parse(Source{Kinds: models.Kinds(), File: "c.yaml"}, []byte(c.text))
			if err == nil {
				t.Fatal("accepted")
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "hush") {
				t.Errorf("%q tells a secret", err)
			}
			if cli.ExitCode(err) != 1 {
				t.Errorf("exit code %d, want 1", cli.ExitCode(err))
			}
		})
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	_, _, err := Parse(Source{Kinds: models.Kinds(), File: "c.yaml"}, []byte("seeed: 1\nkafka: {grup: a}\nredis: {uri: x}"))
	for _, part := range []string{"c.yaml:1", "c.yaml:2", "c.yaml:3"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v lacks %s", err, part)
		}
	}
}
