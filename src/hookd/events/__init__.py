"""Typed events in, outcomes out: the vocabulary that every other room shares."""
