// A table's scripts: taps first. Keeping the game on the phone can wait until the table is live.

import "./taps.js";

if (document.getElementById("table-along")) import("./along.js");
