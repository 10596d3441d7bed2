package com.example.storefront.themes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThemeImportTest {
    @TempDir
    Path directory;

    private ThemeStore store;
    private ThemeImport themes;

    @BeforeEach
    void setUp() throws IOException {
        store = new ThemeStore(Files.createDirectory(directory.resolve("themes")));
        themes = new ThemeImport(store, 100);
    }

    @Test
    void unpacksATheme() throws IOException {
        Path folder = themes.importTheme(new ThemeName("winter"), zip("css/main.css", "body {}"));

        assertEquals("body {}", Files.readString(folder.resolve("css/main.css")));
        assertEquals(List.of("winter"), store.names());
    }

    @Test
    void refusesAnEntryOutsideOfTheTheme() throws IOException {
        Path archive = zip("/etc/motd", "hello");

        assertThrows(IOException.class, () -> themes.importTheme(new ThemeName("winter"), archive));
    }

    @Test
    void leavesNothingOfAThemeThatIsTooLarge() throws IOException {
        Path archive = zip("index.html", "x".repeat(101));

        assertThrows(IOException.class, () -> themes.importTheme(new ThemeName("winter"), archive));
        assertEquals(List.of(), store.names());
    }

    private Path zip(String name, String content) throws IOException {
        Path archive = directory.resolve("theme.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(archive))) {
            out.putNextEntry(new ZipEntry(name));
            out.write(content.getBytes());
            out.closeEntry();
        }
        return archive;
    }
}
