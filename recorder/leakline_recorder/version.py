"""The version of this package, which each recording names."""
VERSION = '0.2.0'
