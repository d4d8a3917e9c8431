import { z } from "zod";
import type { Secrets } from "../store/secrets.ts";
import type { RagTool } from "./contract.ts";
import { refusal, success } from "./results.ts";

export const BOOKING_SECRET = "tool_booking_url";

const parameters = z.strictObject({});

export function offerBookingLink(deps: { secrets: Secrets }): RagTool<z.infer<typeof parameters>> {
  return {
    name: "offer_booking_link",
    title: "Booking link",
    description:
      "Gives the link where the client books a call or a visit. Use it when the client wants a call, a meeting or a time; not to answer questions. Takes no arguments. Reads only; nothing is booked by it. Returns url. No approval.",
    risk: "read_only",
    sideEffectType: "none",
    parameters,
    output: z.object({ ok: z.literal(true), url: z.string() }),
    offered: true,
    staged: false,
    isAvailable: (tenant) => tenant.secretNames.has(BOOKING_SECRET),
    async run(call) {
      const url = await call.read((tx) => deps.secrets.get(tx, call.tenantId, BOOKING_SECRET));
      const result = url
        ? success({ type: "booking_link", summary: "the booking link" }, { url })
        : refusal({
            type: "booking_link",
            reason: "not_configured",
            summary: "no booking link is set",
            code: "NOT_FOUND",
          });
      return { kind: "result", result };
    },
  };
}
