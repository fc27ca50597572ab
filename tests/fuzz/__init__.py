"""Fuzzing: what strangers may send is changed in many ways, read through every door, and used.

``python -m tests.fuzz`` (``make fuzz``) goes on for as long as it is told; ``test_fuzz.py`` tries
what was found so far, and a little more.
"""
