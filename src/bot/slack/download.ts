import type { webApi } from "@slack/bolt";
import type { Media } from "../../domain/inbound.ts";
import { LARGEST_FILE_BYTES } from "../../domain/inbound.ts";
import type { Download } from "../../domain/messenger.ts";
import { fetchFile } from "../fetch-file.ts";
import { slackCode, toDeliveryResult } from "./delivery-error.ts";
import { isOwnHost } from "./own-host.ts";

/** Fetches a file that a person sent to this app, with the app's token. */
export async function downloadFile(
  client: webApi.WebClient,
  media: Media,
  signal: AbortSignal,
): Promise<Download> {
  if (!media.fileId) return { kind: "gone", error: "Slack named no file" };
  const found = await findFile(client, media.fileId);
  if (typeof found !== "string") return found;
  const fetched = await fetchFile({
    url: found,
    isAllowed: isOwnHost(client),
    headers: { authorization: `Bearer ${client.token ?? ""}` },
    signal,
  });
  if (fetched.kind !== "file") return fetched;
  // without the right to read files Slack shows a page to sign in, with status 200
  const isPage = fetched.mimeType.startsWith("text/html") && !media.mimeType?.includes("html");
  if (isPage) return { kind: "gone", error: "Slack asks to sign in: the app needs files:read" };
  return { ...fetched, name: media.fileName ?? media.kind };
}

/** Where the file can be fetched, or why it cannot. */
async function findFile(client: webApi.WebClient, id: string): Promise<string | Download> {
  try {
    const { file } = await client.files.info({ file: id });
    if ((file?.size ?? 0) > LARGEST_FILE_BYTES) return { kind: "too_big" };
    const url = file?.url_private_download ?? file?.url_private;
    return url ?? { kind: "gone", error: "Slack gave no address" };
  } catch (error) {
    const code = slackCode(error) ?? "no answer";
    const { kind } = toDeliveryResult(error);
    const isPassing = code !== "missing_scope" && (kind === "retry" || kind === "uncertain");
    return { kind: isPassing ? "later" : "gone", error: `files.info: ${code}` };
  }
}
