package com.example.storefront.themes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThemeStoreTest {
    @TempDir
    Path directory;

    @Test
    void listsThemesInOrder() throws IOException {
        Files.createDirectory(directory.resolve("winter"));
        Files.createDirectory(directory.resolve("plain"));

        assertEquals(List.of("plain", "winter"), new ThemeStore(directory).names());
    }

    @Test
    void aNameCannotLeaveTheFolder() {
        assertThrows(IllegalArgumentException.class, () -> new ThemeName("../plain"));
    }
}
