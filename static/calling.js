// A question to the player: their phone vibrates, and sounds if they want that. Once for each question that arrives
// while the page is open, and only after they have pressed something: browsers allow neither before.

// Of the vibration and of the tone, in milliseconds and Hertz.
const PATTERN = [120, 80, 120];
const LENGTH = 250;
const PITCH = 880;

const known = new Set();
const audio = { context: null };

/** How the player wants to be called. */
function findWish() {
  return document.querySelector("[data-calls]")?.dataset.calls ?? "off";
}

/** Prepares the tone during a press: some browsers allow it at no other time. */
function prepare() {
  if (findWish() !== "sound") return;
  audio.context ??= new AudioContext();
  audio.context.resume();
}

/** Plays a short tone. */
function play({ currentTime, destination }) {
  const tone = new OscillatorNode(audio.context, { frequency: PITCH });
  tone.connect(new GainNode(audio.context, { gain: 0.2 })).connect(destination);
  tone.start();
  tone.stop(currentTime + LENGTH / 1000);
}

/** Calls the player. */
function call() {
  const wish = findWish();
  if (wish === "off" || !navigator.userActivation?.hasBeenActive) return;
  navigator.vibrate?.(PATTERN);
  if (wish === "sound" && audio.context) play(audio.context);
}

/** Notes the questions on the page, and returns whether one of them is new. */
function hasNews() {
  const before = known.size;
  for (const { dataset } of document.querySelectorAll("[data-question]")) known.add(dataset.question);
  return known.size > before;
}

/** Calls the player to a question that has just arrived. */
function look() {
  if (hasNews()) call();
}

hasNews();
addEventListener("click", prepare);
new MutationObserver(look).observe(document.querySelector("main"), { childList: true, subtree: true });
