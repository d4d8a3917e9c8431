import { el, icon } from "./dom.js";
import { t } from "./texts.js";

const ICONS = {
  photo: "photo",
  video_note: "video",
  video: "video",
  voice: "video",
  contact: "contact",
};

/** A picture as a picture, anything else as a chip that opens or downloads it. */
export function fileView({ kind, url, name }) {
  if (kind === "photo" && url) {
    const image = el("img", { src: url, alt: name || t("media_photo"), loading: "lazy" });
    return el("a", { class: "picture", href: url, target: "_blank", rel: "noopener" }, image);
  }
  const known = t(`media_${kind}`);
  const inside = [
    icon(ICONS[kind] ?? "document"),
    el("span", {}, name || known),
    name && name !== known ? el("small", {}, known) : null,
  ];
  if (kind === "video_note") return el("div", { class: "round-video", title: known }, inside);
  if (!url) return el("div", { class: "file-chip" }, inside);
  return el("a", { class: "file-chip", href: url, target: "_blank", rel: "noopener" }, inside);
}
