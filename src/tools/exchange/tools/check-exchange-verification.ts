import { z } from "zod";
import { contactKyc } from "../../../store/kyc.ts";
import type { RagTool } from "../../contract.ts";
import { success } from "../../results.ts";
import { hasRates } from "./exchange-deps.ts";

const parameters = z.strictObject({});

/** Reads the contact of the session; no argument can name another one. */
export function checkExchangeVerification(): RagTool<z.infer<typeof parameters>> {
  return {
    name: "check_exchange_verification",
    title: "Identity check",
    description: {
      does: "Reads whether the client's identity was verified.",
      when: "before an order and when the client asks about the check.",
      whenNot: "to verify somebody: only a person does.",
      needs: "no arguments.",
      limits: "it changes nothing.",
      returns: "verified, status and needsVerification.",
    },
    risk: "read_only",
    sideEffectType: "none",
    parameters,
    output: z.object({
      ok: z.literal(true),
      verified: z.boolean(),
      status: z.string(),
      needsVerification: z.boolean(),
      verificationId: z.string().optional(),
    }),
    offered: true,
    staged: true,
    isAvailable: hasRates,
    async run(call) {
      const kyc = await call.read((tx) => contactKyc(tx, call));
      const status = kyc?.status ?? "missing";
      const verified = status === "verified";
      const data = {
        verified,
        status,
        needsVerification: !verified,
        verificationId: kyc?.verificationId ?? undefined,
      };
      const summary = `identity: ${status}`;
      return { kind: "result", result: success({ type: "verification", summary }, data) };
    },
  };
}
