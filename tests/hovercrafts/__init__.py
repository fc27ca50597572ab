"""Tests of Hovercrafts."""
