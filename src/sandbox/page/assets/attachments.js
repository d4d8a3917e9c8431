import { byId, el, icon } from "./dom.js";
import { t } from "./texts.js";

/** What a client can send besides words; Slack knows no round videos and contacts. */
const KINDS = [
  { kind: "photo", icon: "photo", telegramOnly: false },
  { kind: "video_note", icon: "video", telegramOnly: true },
  { kind: "document", icon: "document", telegramOnly: false },
  { kind: "contact", icon: "contact", telegramOnly: true },
  { kind: "file", icon: "file", telegramOnly: false },
];

const MOST_BYTES = 8_000_000;

/** @param {(kind: string, file?: File) => void} attach */
export function drawAttachments(attach) {
  const box = byId("lead-attachments");
  const opener = byId("lead-attach");
  const input = byId("lead-file");
  const open = (isOpen) => {
    box.hidden = !isOpen;
    opener.setAttribute("aria-expanded", String(isOpen));
  };
  const choose = (kind) => {
    open(false);
    if (kind === "file") input.click();
    else attach(kind);
  };
  box.replaceChildren(
    ...KINDS.map((one) =>
      el(
        "button",
        {
          type: "button",
          class: one.telegramOnly ? "telegram-only" : "",
          data: { kind: one.kind },
          on: { click: () => choose(one.kind) },
        },
        icon(one.icon),
        el("span", {}, t(`attach_${one.kind}`)),
      ),
    ),
  );
  opener.addEventListener("click", () => open(box.hidden));
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    open(false);
    opener.focus();
  });
  input.addEventListener("change", () => {
    const [file] = input.files;
    if (file) attach("file", file);
    input.value = "";
  });
}

/** The body of the message that carries the file. Throws when the file is too big. */
export async function attachmentMessage(kind, { messenger, file, caption, account }) {
  const words = caption === "" ? {} : { [messenger === "slack" ? "text" : "caption"]: caption };
  if (kind === "contact") {
    return { contact: { phone_number: "+66800000001", user_id: Number(account) } };
  }
  const made = await fileOf(kind, file);
  if (messenger === "slack") return { ...words, files: [made] };
  return { ...words, ...telegramContent(kind, made) };
}

function telegramContent(kind, { name, mimetype, base64 }) {
  if (kind === "video_note") return { video_note: {} };
  if (mimetype.startsWith("image/")) return { photo: { base64 } };
  const bytes = base64 === undefined ? {} : { base64 };
  return { document: { file_name: name, mime_type: mimetype, ...bytes } };
}

async function fileOf(kind, file) {
  if (kind === "file") {
    if (file.size > MOST_BYTES) throw new Error(t("file_too_big"));
    return {
      name: file.name,
      mimetype: file.type || "application/octet-stream",
      base64: await base64Of(file),
    };
  }
  if (kind === "photo" || kind === "receipt") {
    const blob = await drawSample(kind);
    return { name: `${kind}.png`, mimetype: "image/png", base64: await base64Of(blob) };
  }
  return { name: "document.pdf", mimetype: "application/pdf", base64: undefined };
}

/** @param {Blob} blob @returns {Promise<string>} */
function base64Of(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** A picture that nobody takes for a real document. @returns {Promise<Blob>} */
function drawSample(kind) {
  const canvas = el("canvas", { width: 360, height: 230 });
  const paint = canvas.getContext("2d");
  const isReceipt = kind === "receipt";
  paint.fillStyle = isReceipt ? "#fbfaf5" : "#dce6f5";
  paint.fillRect(0, 0, 360, 230);
  paint.fillStyle = isReceipt ? "#3d4a3f" : "#23406e";
  paint.fillRect(0, 0, 360, 44);
  paint.fillStyle = "#ffffff";
  paint.font = "bold 20px sans-serif";
  paint.fillText(t(isReceipt ? "sample_receipt" : "sample_document"), 16, 29);
  paint.fillStyle = isReceipt ? "#ccd2c8" : "#a9bddd";
  if (!isReceipt) {
    paint.fillRect(20, 66, 92, 118);
    paint.fillStyle = "#7f98c2";
    paint.beginPath();
    paint.arc(66, 106, 22, 0, Math.PI * 2);
    paint.ellipse(66, 176, 38, 40, 0, Math.PI, 0);
    paint.fill();
  }
  paint.fillStyle = isReceipt ? "#8c958a" : "#5d77a3";
  const left = isReceipt ? 20 : 134;
  for (const [index, width] of [180, 140, 200, 110].entries()) {
    paint.fillRect(left, 74 + index * 30, Math.min(width, 340 - left), 10);
  }
  paint.fillStyle = "#b3261e";
  paint.font = "bold 15px sans-serif";
  paint.fillText(t("sample_mark"), left, 212, 340 - left);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
