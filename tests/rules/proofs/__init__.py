"""Proofs of the odds: random rolls of every kind of step against independent counts.

``script/prove-odds`` runs all of it; the tests of ``rules.engine`` run a little of it every time.
"""
