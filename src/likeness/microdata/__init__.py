"""The table once encoded: codes, domains, plans, and what they say about every equivalence class."""
