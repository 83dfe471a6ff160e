"""Rulebooks that a stranger might write to stop the site: variants at and beyond every limit.

A variant is a file from anybody. These are drawn from a seed: invented shapes (nested steps,
endless loops, tables that roll on tables, formulas, sizes), and values for every field that the
vocabulary has, found in its models: a new field is attacked as soon as it exists.

    writing      changes, rows and texts of a variant; the rulebook that it changes
    vocabulary   every field of the models, and values for it, sound and odd
    rolls        steps, procedures, loops and hands of dice in extreme shapes
    fates        dice tables, conditions and the post-game
    formulas     expressions that are long, deep, huge or about themselves
    sizes        many rows, long texts, huge numbers, odd keys, deep files
    drawing      draws a variant from a seed
    visiting     takes a variant through the site: import, pages, odds, prints, gang, table
    findings     the variants tried, the site's answers, and its mistakes
"""
