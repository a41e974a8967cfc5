"""Search: a query becomes words, rows are found by them and by meaning, and the best come first."""
