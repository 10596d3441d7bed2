// Command allowed says whether an agent may fetch a path, by a robots.txt file on standard input.
package main

import (
	"fmt"
	"log"
	"os"

	"example.com/crawler/robots"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: allowed AGENT PATH")
	}
	file, err := robots.Parse(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Allowed(os.Args[1], os.Args[2]))
}
