// The button that lets this browser show notices. The browser names its push service and makes its keys; a form of
// the page sends them to the site. If the browser renews them, the service worker (offline.js) does.

const STEP = 4;

/** The bytes of a key in base64url, as a browser takes it. */
function decode(key) {
  const padded = key.replaceAll("-", "+").replaceAll("_", "/").padEnd(Math.ceil(key.length / STEP) * STEP, "=");
  return Uint8Array.from(atob(padded), (letter) => letter.charCodeAt(0));
}

/** Whether a subscription is for the site's present key. */
function isCurrent(subscription, key) {
  const known = subscription?.options?.applicationServerKey;
  return Boolean(known) && `${new Uint8Array(known)}` === `${key}`;
}

/** Says why the button is missing, or why pressing it had no effect. */
function sayWhy(form, reason) {
  form.querySelector("[data-why]").textContent = form.dataset[reason];
}

/** Subscribes at the browser's push service, and sends the form. */
async function turnOn(form, key) {
  if ((await Notification.requestPermission()) !== "granted") {
    sayWhy(form, "denied");
    return;
  }
  try {
    const { pushManager } = await navigator.serviceWorker.ready;
    const known = await pushManager.getSubscription();
    if (known && !isCurrent(known, key)) await known.unsubscribe();
    const options = { userVisibleOnly: true, applicationServerKey: key };
    const { endpoint, keys } = (await pushManager.subscribe(options)).toJSON();
    Object.assign(form.elements.endpoint, { value: endpoint });
    Object.assign(form.elements.p256dh, { value: keys.p256dh });
    Object.assign(form.elements.auth, { value: keys.auth });
  } catch {
    sayWhy(form, "failed");
    return;
  }
  form.submit();
}

/** Offers the button where the browser can do it, unless this device already shows notices. */
async function offer(form) {
  if (!navigator.serviceWorker || !window.PushManager || !window.Notification) {
    sayWhy(form, "unsupported");
    return;
  }
  const button = form.querySelector("button");
  const key = decode(form.dataset.key);
  button.addEventListener("click", () => turnOn(form, key));
  if ("here" in form.dataset) {
    const { pushManager } = await navigator.serviceWorker.ready;
    if (isCurrent(await pushManager.getSubscription(), key)) return;
  }
  if (Notification.permission === "denied") sayWhy(form, "denied");
  button.hidden = false;
}

const form = document.getElementById("push-on");
if (form) offer(form);
