"""What a release risks, in the words of those who ask: re-identification, singling out, linkability, inference."""
