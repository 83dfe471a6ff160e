"""A real site, attacked at every address and in every field that it has.

``script/hostile`` starts a server as ``script/server`` does, fills it with clubs of people, and
sends everything that a hostile or careless client might. What there is to attack is found, not
listed: addresses in the URL conf and in the links of pages, fields in the forms of pages. A new
form is attacked as soon as a page shows it.

    site        the server, its processes and their memory
    measuring   what runs inside the server: how long an answer took, what it failed of
    club        the people of one attacker and all that is theirs; what strangers must not touch
    addresses   every address of the site
    forms       the forms of a page, and how to fill them
    nasty       bad values
    files       files that people upload, and how to spoil them
    requests    a request and its answer, as values that can be kept
    browser     somebody who sends requests, and knows which pages they were shown
    attacks     what is done, by chance
    rulebooks   variants of a stranger, generated, and their way through the site
    sockets     what no browser sends
    memory      which request a worker grew by
    judge       what must not happen
    aftermath   what is looked at when the attack is over
    figures     what happened, as a table
    replaying   a request that failed, sent again
"""
