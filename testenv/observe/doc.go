// Package observe tests what deploy/ offers for watching a consumer: the rules by
// promtool, and rules and dashboard by a real Prometheus that scrapes a running consumer.
package observe
