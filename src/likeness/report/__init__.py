"""Pages for people: the public certificate and the steward's private report, plain tables without scripts."""
