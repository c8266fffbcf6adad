"""The commands behind local.sh. Needs Python 3.13 and its standard library."""
