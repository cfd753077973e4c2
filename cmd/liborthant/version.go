package main

// version is set when a release is linked (-ldflags "-X main.version=…").
var version string
