import { z } from "zod";

/**
 * `bad_attributes`: what is stored cannot be read, which counts as not verified and calls a person.
 */
export type KycStatus = "missing" | "pending" | "verified" | "rejected" | "bad_attributes";

const statusSchema = z.enum(["missing", "pending", "verified", "rejected"]);
const recordSchema = z.object({
  exchangeKyc: z.object({ status: statusSchema, verificationId: z.string().optional() }).optional(),
});

/** What the contact's attributes say of the identity check; unreadable attributes verify nobody. */
export function kycOf(attributes: unknown): { status: KycStatus; verificationId: string | null } {
  const parsed = recordSchema.safeParse(attributes);
  if (!parsed.success) return { status: "bad_attributes", verificationId: null };
  const kyc = parsed.data.exchangeKyc;
  return { status: kyc?.status ?? "missing", verificationId: kyc?.verificationId ?? null };
}
