"""Sarrafi Aghdam & Sonehara 2016: figures 5 and 6, table 3, and where the margin over Mondrian comes from."""
