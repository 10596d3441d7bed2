package com.example.storefront.themes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The folder in which the storefront finds its themes. */
public class ThemeStore {
    private final Path directory;

    public ThemeStore(Path directory) {
        this.directory = directory;
    }

    public List<String> names() throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(Files::isDirectory).map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    public Path folderOf(ThemeName name) {
        return directory.resolve(name.value());
    }
}
