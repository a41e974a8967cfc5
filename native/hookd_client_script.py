#!python
import sys

from hookd.client import main

sys.exit(main())
