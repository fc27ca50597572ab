"""Tests of the outside interfaces: what a user of each library is promised."""
