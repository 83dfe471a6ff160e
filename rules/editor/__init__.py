"""The players' own rules: variants of rulebooks, made in the browser."""
