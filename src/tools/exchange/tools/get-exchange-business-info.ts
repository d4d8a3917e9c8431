import { z } from "zod";
import type { RagTool } from "../../contract.ts";
import { success } from "../../results.ts";
import { officeAddresses } from "../secret-names.ts";
import { deskSecrets, type ExchangeDeps, hasRates } from "./exchange-deps.ts";

const parameters = z.strictObject({
  topic: z.string().max(80).optional().describe("what the client asks about, e.g. hours"),
});

const said = z.string().nullable();

/** Gives out only the texts that the desk has set for clients, never wallets or rates. */
export function getExchangeBusinessInfo(deps: ExchangeDeps): RagTool<z.infer<typeof parameters>> {
  return {
    name: "get_exchange_business_info",
    title: "About the desk",
    description: {
      does: "Tells working hours, office addresses, payout methods, identity and AML policy and the operator's contact.",
      when: "for questions about the desk.",
      whenNot: "for prices, wallets or payment details.",
      needs: "nothing; topic is optional.",
      limits: "only what the desk publishes.",
      returns: "these facts; a field is null when the desk has not said it.",
    },
    risk: "read_only",
    sideEffectType: "none",
    parameters,
    output: z.object({
      ok: z.literal(true),
      workingHours: said,
      officeAddress: said,
      offices: z.array(z.string()),
      payoutMethods: said,
      kycPolicy: said,
      amlPolicy: said,
      operatorContact: said,
    }),
    offered: true,
    staged: true,
    shown: [
      ...["workingHours", "officeAddress", "offices", "payoutMethods", "operatorContact"],
      ...["kycPolicy", "amlPolicy"],
    ],
    isAvailable: hasRates,
    async run(call) {
      const secrets = await call.read((tx) => deskSecrets(tx, deps, call.tenantId));
      const result = success(
        { type: "business_info", summary: "published facts of the desk" },
        {
          ...publicFacts(secrets),
        },
      );
      return { kind: "result", result };
    },
  };
}

/** Only these names: wallets, cards and keys are no facts about the desk. */
function publicFacts(secrets: ReadonlyMap<string, string>) {
  const officeAddress = joined(secrets, ["exchange_office_address"]);
  return {
    workingHours: joined(secrets, ["exchange_working_hours"]),
    officeAddress,
    offices: officeAddresses(officeAddress ?? ""),
    payoutMethods: joined(secrets, [
      "exchange_payout_methods",
      "exchange_payout_bank_methods",
      "exchange_payout_cash_methods",
    ]),
    kycPolicy: joined(secrets, ["exchange_kyc_policy"]),
    amlPolicy: joined(secrets, ["exchange_aml_policy"]),
    operatorContact: joined(secrets, [
      "exchange_operator_contact",
      "exchange_operator_contact_telegram",
      "exchange_operator_contact_whatsapp",
      "exchange_operator_contact_line",
    ]),
  };
}

function joined(secrets: ReadonlyMap<string, string>, names: string[]): string | null {
  const texts = names.map((name) => secrets.get(name)?.trim()).filter(Boolean);
  return texts.length > 0 ? texts.join("\n") : null;
}
