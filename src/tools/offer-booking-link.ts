import { z } from "zod";
import { BOOKING_SECRET } from "../domain/booking-url.ts";
import type { Secrets } from "../store/secrets.ts";
import type { RagTool } from "./contract.ts";
import { refusal, success } from "./results.ts";

const parameters = z.strictObject({});

/** Offered only to tenants that have set a link; the model gets it word for word. */
export function offerBookingLink(deps: { secrets: Secrets }): RagTool<z.infer<typeof parameters>> {
  return {
    name: "offer_booking_link",
    title: "Booking link",
    description: {
      does: "Gives the link where the client books a call or a visit.",
      when: "when the client wants a call, a meeting or a time.",
      whenNot: "to answer questions.",
      needs: "no arguments.",
      limits: "nothing is booked by it.",
      returns: "url.",
    },
    risk: "read_only",
    sideEffectType: "none",
    parameters,
    output: z.object({ ok: z.literal(true), url: z.string() }),
    offered: true,
    staged: false,
    shown: ["url"],
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
