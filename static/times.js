// Times as the pages write them (accounts/dates.py): by the format that the catalogue of the page's language has.

const DIGITS = 2;

/** The hour and minute: 19:30, or as the page's language writes them. */
export function formatClock(time) {
  const parts = {
    G: String(time.getHours()),
    H: String(time.getHours()).padStart(DIGITS, "0"),
    i: String(time.getMinutes()).padStart(DIGITS, "0"),
  };
  const format = document.documentElement.dataset.clock;
  return format.replace(/\\(.)|([GHi])/g, (_all, literal, part) => literal ?? parts[part]);
}

/** The day and month, with the hour and minute. */
export function formatDay(time) {
  const { lang } = document.documentElement;
  const day = time.toLocaleDateString(lang === "en" ? "en-GB" : lang, { day: "numeric", month: "long" });
  return `${day}, ${formatClock(time)}`;
}
