module example.com/studio

go 1.22
