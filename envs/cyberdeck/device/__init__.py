"""Games on a GPU: the same loops, from the same game file, a thread for each row."""
