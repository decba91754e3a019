// Package browser tests the live page in a real Chromium: what it shows
// against what the API answers, live updates, thousands of keys, hostile
// keys, outages, accessibility. Screenshots stay in .cache/screenshots, or
// where CREDENCE_SCREENSHOTS says.
package browser
