package com.example.storefront.themes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Takes a theme from a zip file that a shop owner sends. */
public class ThemeImport {
    private final ThemeStore store;
    private final long maxBytes;

    public ThemeImport(ThemeStore store, long maxBytes) {
        this.store = store;
        this.maxBytes = maxBytes;
    }

    /** Unpacks the archive as a new theme. A theme of that name must not be there yet. */
    public Path importTheme(ThemeName name, Path archive) throws IOException {
        Path folder = store.folderOf(name);
        if (Files.exists(folder)) {
            throw new FileAlreadyExistsException(folder.toString());
        }
        Path unpacked = Files.createDirectory(folder.resolveSibling(".import-" + UUID.randomUUID()));
        try {
            unpack(archive, unpacked);
            return Files.move(unpacked, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | RuntimeException failure) {
            deleteAll(unpacked);
            throw failure;
        }
    }

    private void unpack(Path archive, Path target) throws IOException {
        ZipFile zip = new ZipFile(archive.toFile());
        Enumeration<? extends ZipEntry> entries = zip.entries();
        long left = maxBytes;
        while (entries.hasMoreElements()) {
            ZipEntry entry = entries.nextElement();
            Path file = target.resolve(entry.getName());
            if (!file.startsWith(target)) {
                throw new IOException("entry outside of the theme: " + entry.getName());
            }
            if (entry.isDirectory()) {
                Files.createDirectories(file);
                continue;
            }
            Files.createDirectories(file.getParent());
            left -= copy(zip, entry, file, left);
        }
        zip.close();
    }

    /** Copies one entry, however large it says it is; more than `limit` bytes are refused. */
    private static long copy(ZipFile zip, ZipEntry entry, Path file, long limit) throws IOException {
        long copied = 0;
        byte[] buffer = new byte[8192];
        try (InputStream in = zip.getInputStream(entry); OutputStream out = Files.newOutputStream(file)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                copied += read;
                if (copied > limit) {
                    throw new IOException("the theme is too large");
                }
                out.write(buffer, 0, read);
            }
        }
        return copied;
    }

    private static void deleteAll(Path folder) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(folder)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : deepestFirst) {
            Files.delete(each);
        }
    }
}
