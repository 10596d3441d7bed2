// Package robots reads robots.txt files.
package robots

// File is a robots.txt file.
type File struct {
	groups []group
}

type group struct {
	agents []string
	rules  []rule
}

type rule struct {
	allow bool
	path  string
}
