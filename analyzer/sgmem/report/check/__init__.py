"""Findings, one format a module."""
