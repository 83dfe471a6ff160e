// Times as the pages write them (accounts/dates.py): 19:30 in English, 19 h 30 in French.

/** The hour and minute. */
export function formatClock(time, lang) {
  const minutes = String(time.getMinutes()).padStart(2, "0");
  if (lang === "fr") return `${time.getHours()}\u00a0h\u00a0${minutes}`;
  return `${String(time.getHours()).padStart(2, "0")}:${minutes}`;
}

/** The day and month, with the hour and minute. */
export function formatDay(time, lang) {
  const day = time.toLocaleDateString(lang === "en" ? "en-GB" : lang, { day: "numeric", month: "long" });
  return `${day}, ${formatClock(time, lang)}`;
}
