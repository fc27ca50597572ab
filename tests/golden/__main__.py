"""Record the golden games anew."""

from tests.golden import main

main()
