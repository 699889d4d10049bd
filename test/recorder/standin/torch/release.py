"""Which release the stand-in is shaped like: ``STANDIN_RELEASE=2.1``. What differs, and where it was read: test/fixtures/gpu/README.md."""
import os

RELEASE = tuple(int(part) for part in os.environ.get('STANDIN_RELEASE', '2.11').split('.'))
