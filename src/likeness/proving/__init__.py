"""What is proven of a release, and the certificate that says so."""
