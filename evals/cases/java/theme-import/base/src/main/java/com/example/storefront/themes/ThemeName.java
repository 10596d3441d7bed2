package com.example.storefront.themes;

import java.util.regex.Pattern;

/** The name of a theme, which is also the name of its folder. */
public record ThemeName(String value) {
    private static final Pattern ALLOWED = Pattern.compile("[a-z0-9](-?[a-z0-9]){0,39}");

    public ThemeName {
        if (!ALLOWED.matcher(value).matches()) {
            throw new IllegalArgumentException("not a theme name: " + value);
        }
    }
}
