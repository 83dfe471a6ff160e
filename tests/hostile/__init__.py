"""A real site, attacked at every address and in every field that it has.

``script/hostile`` starts a server as ``script/server`` does, fills it with clubs of people, and
sends everything that a hostile or careless client might. The targets are found, not listed:
addresses in the URL conf and in the links of pages, fields in the forms of pages. A new form is
attacked as soon as a page shows it.

    site        the server, its processes and their memory
    measuring   runs inside the server: the time and the failure of each answer
    club        the people of one attacker with everything they own, which strangers must not touch
    addresses   every address of the site
    forms       the forms of a page, and how to fill them
    nasty       bad values
    files       files that people upload, and how to spoil them
    requests    a request and its answer, as values that can be kept
    browser     a person who sends requests, and the pages they were shown
    attacks     the attacks, chosen by chance
    rulebooks   generated variants of a stranger, and their way through the site
    sockets     requests that no browser sends
    memory      finds the request that made a worker grow
    judge       finds answers that must not happen
    aftermath   the checks after the attack
    figures     the results, as a table
    replaying   a request that failed, sent again
"""
