"""The version of this package, which each recording names."""
VERSION = '0.1.0'
