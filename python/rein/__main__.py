"""`python -m rein`: the program `rein`, as on the command line."""

from rein_program import main

main()
