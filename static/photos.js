// Photos become small before they are sent: a phone's photo has 12 to 50 million pixels, and the site keeps at most 1,600
// in a row. A file that this browser cannot draw is sent as it is, and the site says how it can be sent.

const LONGEST = 2000; // pixels
const QUALITY = 0.9;
const LIGHT = 1_000_000; // bytes
const ACCEPTED = ["image/jpeg", "image/png", "image/webp", "image/gif"];

for (const input of document.querySelectorAll("input[type=file][data-photos]")) {
  // Without this script, several photos of full size could be more than a request may have.
  input.multiple = input.dataset.photos === "several";
  let shrinking = null;
  input.addEventListener("change", () => {
    const started = shrinkAll(input.files).then((files) => {
      // Others were chosen meanwhile: their own turn replaces them.
      if (started === shrinking) replaceFiles(input, files);
    });
    shrinking = started;
    started.finally(() => {
      if (started === shrinking) shrinking = null;
    });
  });
  input.form.addEventListener("submit", (event) => {
    if (!shrinking) return;
    event.preventDefault();
    const { submitter } = event;
    shrinking.finally(() => input.form.requestSubmit(submitter));
  });
}

/** One after the other, since a photo of 48 million pixels takes 200 MB while it is drawn. */
async function shrinkAll(files) {
  const small = [];
  for (const file of files) small.push(await shrink(file));
  return small;
}

/** The file as a JPEG with sides of at most LONGEST, turned upright; the file itself if that is not needed or fails. */
async function shrink(file) {
  try {
    const drawn = await createImageBitmap(file, { imageOrientation: "from-image" });
    const share = Math.min(1, LONGEST / Math.max(drawn.width, drawn.height));
    if (share === 1 && file.size <= LIGHT && ACCEPTED.includes(file.type)) {
      drawn.close();
      return file;
    }
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(drawn.width * share));
    canvas.height = Math.max(1, Math.round(drawn.height * share));
    const pen = canvas.getContext("2d");
    pen.fillStyle = "white";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.imageSmoothingQuality = "high";
    pen.drawImage(drawn, 0, 0, canvas.width, canvas.height);
    drawn.close();
    const content = await new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
    return content ? new File([content], file.name.replace(/\.\w+$/, "") + ".jpg", { type: "image/jpeg" }) : file;
  } catch {
    return file;
  }
}

/** Lets a field send these files. */
function replaceFiles(input, files) {
  const holder = new DataTransfer();
  for (const file of files) holder.items.add(file);
  input.files = holder.files;
}
