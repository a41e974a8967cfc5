"""Tells whether a text holds instructions aimed at a model."""
