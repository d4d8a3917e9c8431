import { z } from "zod";

const text = (max: number) => z.string().trim().min(1).max(max);

/** How and where the payout of an order goes, as a model names it; the same for every tool. */
export const payoutParameters = {
  payoutMethod: text(40)
    .optional()
    .describe("office_cash, courier_cash, cardless_atm or thai_bank_transfer"),
  payoutLocation: text(200).optional().describe("office or delivery address"),
  payoutDestination: z
    .union([
      text(300),
      z.strictObject({
        bank: text(80).optional(),
        account: text(60).optional(),
        holder: text(120).optional(),
      }),
    ])
    .optional()
    .describe("for a bank payout: bank, account, holder"),
};
